import { Injectable } from '@nestjs/common';
import type { EntityManager, FindManyOptions } from 'typeorm';
import { Core } from './core.entity.js';

/** The columns of a core that requests write. */
export type CoreColumns = Omit<Core, 'id' | 'createdAt'>;

/** The statements on the table of cores, each in the transaction of the caller. */
@Injectable()
export class CoreRepository {
  findCore(manager: EntityManager, id: number): Promise<Core | null> {
    return manager.findOneBy(Core, { id });
  }

  /** All cores in the order of their ids. */
  findCores(manager: EntityManager): Promise<Core[]> {
    return manager.find(Core, { order: { id: 'ASC' } });
  }

  /** The cores of a window in the order of their ids, and the number of all cores. */
  listCores(manager: EntityManager, window: Pick<FindManyOptions, 'skip' | 'take'>): Promise<[Core[], number]> {
    return manager.findAndCount(Core, { order: { id: 'ASC' }, ...window });
  }

  existsCore(manager: EntityManager, id: number): Promise<boolean> {
    return manager.existsBy(Core, { id });
  }

  insertCore(manager: EntityManager, columns: CoreColumns): Promise<Core> {
    return manager.save(manager.create(Core, columns));
  }

  /** In SQL, because TypeORM skips a configuration that differs only in the order of its keys. */
  async replaceCore(manager: EntityManager, id: number, columns: CoreColumns): Promise<void> {
    const { name, config, excludeInboundTags, fallbacksInboundTags } = columns;
    await manager.query(
      `UPDATE cores SET name = $2, config = $3, exclude_inbound_tags = $4, fallbacks_inbound_tags = $5 WHERE id = $1`,
      [id, name, JSON.stringify(config), excludeInboundTags, fallbacksInboundTags],
    );
  }

  async deleteCore(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(Core, { id });
  }
}
