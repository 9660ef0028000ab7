import type { DataSource, EntityManager } from 'typeorm';
import { Counter } from './counter.entity.js';
import { asDatabase } from './database.js';

/** Says that cores, groups, hosts or settings change in this transaction: every replica compiles anew what it makes of them. */
export async function raiseConfigVersion(manager: EntityManager): Promise<void> {
  await manager.increment(Counter, { name: 'config' }, 'value', 1);
}

export async function readConfigVersion(manager: EntityManager): Promise<bigint> {
  const { value } = await manager.findOneByOrFail(Counter, { name: 'config' });
  return value;
}

/** Something built from cores, groups, hosts or settings, kept until they change, and built once however many ask for it. */
export class CompiledConfig<T> {
  private held?: { version: bigint; value: T };
  private building?: Promise<{ version: bigint; value: T }>;

  constructor(
    private readonly database: DataSource,
    private readonly build: (manager: EntityManager, version: bigint) => Promise<T>,
  ) {}

  /** @param version the version that the caller has seen; what it gets may be newer, never older. */
  async atLeast(version: bigint): Promise<T> {
    while (!this.held || this.held.version < version) {
      this.building ??= this.load().finally(() => {
        this.building = undefined;
      });
      this.held = await this.building;
    }
    return this.held.value;
  }

  private load(): Promise<{ version: bigint; value: T }> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const version = await readConfigVersion(manager);
      return { version, value: await this.build(manager, version) };
    });
  }
}
