import type { DataSource, EntityManager } from 'typeorm';
import { Counter } from './counter.entity.js';
import { asDatabase } from './database.js';

/** Marks cores, groups, hosts or settings as changed by this transaction, so that every replica compiles them again. */
export async function raiseConfigVersion(manager: EntityManager): Promise<void> {
  await manager.increment(Counter, { name: 'config' }, 'value', 1);
}

export async function readConfigVersion(manager: EntityManager): Promise<bigint> {
  const { value } = await manager.findOneByOrFail(Counter, { name: 'config' });
  return value;
}

/**
 * A value that is built from cores, groups, hosts or settings, cached until they change, and built only once for
 * concurrent callers.
 */
export class CompiledConfig<T> {
  private held?: { version: bigint; value: T };
  private building?: Promise<{ version: bigint; value: T }>;

  constructor(
    private readonly database: DataSource,
    private readonly build: (manager: EntityManager, version: bigint) => Promise<T>,
  ) {}

  /** @param version the version that the caller has seen; the value may be newer, but never older */
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
