import { Injectable } from '@nestjs/common';
import type { EntityManager, FindManyOptions } from 'typeorm';
import { AtRestCipher } from '../keys/at-rest-cipher.js';
import type { SealedSecret, SealedSecrets } from '../keys/sealed-secret.js';
import { Core } from './core.entity.js';
import { DEFAULT_CORE, DEFAULT_CORE_ID } from './default-core.js';

/** The columns of a core that requests write. */
export type CoreColumns = Omit<Core, 'id' | 'createdAt' | 'configSealed'>;

/** The statements on the table of cores, each in the transaction of the caller. Configurations are sealed in it. */
@Injectable()
export class CoreRepository implements SealedSecrets {
  readonly what = 'configurations of cores';

  constructor(private readonly cipher: AtRestCipher) {}

  /** The context with which a configuration is sealed, which binds it to its core. */
  contextOf(coreId: number): string {
    return `core:${coreId}`;
  }

  async findCore(manager: EntityManager, id: number): Promise<Core | null> {
    const core = await manager.findOneBy(Core, { id });
    return core && this.open(core);
  }

  /** All cores in the order of their ids. */
  async findCores(manager: EntityManager): Promise<Core[]> {
    return (await manager.find(Core, { order: { id: 'ASC' } })).map((core) => this.open(core));
  }

  /** The cores of a window in the order of their ids, and the number of all cores. */
  async listCores(manager: EntityManager, window: Pick<FindManyOptions, 'skip' | 'take'>): Promise<[Core[], number]> {
    const [cores, count] = await manager.findAndCount(Core, { order: { id: 'ASC' }, ...window });
    return [cores.map((core) => this.open(core)), count];
  }

  existsCore(manager: EntityManager, id: number): Promise<boolean> {
    return manager.existsBy(Core, { id });
  }

  async insertCore(manager: EntityManager, columns: CoreColumns): Promise<Core> {
    const [row] = await manager.query<{ id: number }[]>(
      `SELECT nextval(pg_get_serial_sequence('cores', 'id'))::integer AS id`,
    );
    if (!row) throw new Error('the sequence of cores.id is missing');
    const core = this.sealed(row.id, columns);
    const { generatedMaps } = await manager.insert(Core, core);
    return Object.assign(manager.create(Core, core), generatedMaps[0], { config: columns.config });
  }

  /** Adds the core of a new installation. Of replicas that start together one adds it. */
  async insertDefaultCore(manager: EntityManager): Promise<void> {
    const core = this.sealed(DEFAULT_CORE_ID, DEFAULT_CORE);
    await manager.createQueryBuilder().insert().into(Core).values(core).orIgnore().execute();
  }

  async replaceCore(manager: EntityManager, id: number, columns: CoreColumns): Promise<void> {
    await manager.update(Core, { id }, this.sealed(id, columns));
  }

  async deleteCore(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(Core, { id });
  }

  lockSealed(manager: EntityManager): Promise<SealedSecret[]> {
    return manager.query('SELECT id, config_sealed AS sealed FROM cores ORDER BY id FOR NO KEY UPDATE');
  }

  async replaceSealed(manager: EntityManager, configs: readonly SealedSecret[]): Promise<void> {
    await manager.query(
      `UPDATE cores SET config_sealed = anew.sealed
       FROM unnest($1::integer[], $2::bytea[]) AS anew (id, sealed) WHERE cores.id = anew.id`,
      [configs.map(({ id }) => id), configs.map(({ sealed }) => sealed)],
    );
  }

  private sealed(id: number, { config, ...columns }: CoreColumns): Omit<Core, 'config' | 'createdAt'> {
    return { ...columns, id, configSealed: this.cipher.seal(JSON.stringify(config), this.contextOf(id)) };
  }

  private open(core: Core): Core {
    const config = this.cipher.openJson(core.configSealed, this.contextOf(core.id));
    return Object.assign(core, { config });
  }
}
