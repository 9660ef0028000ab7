import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Core } from '../../core-store/core.entity.js';
import { Node } from './node.entity.js';

/** Like everybody who changes several nodes, these statements lock them in the order of their ids. */
const LOCKED_NODES = `WITH locked AS (SELECT id FROM nodes WHERE core_config_id = $1 ORDER BY id FOR NO KEY UPDATE)`;

/** What a node is started with: its own columns, and the core that it is pinned to, if any. */
export type StartColumns = Pick<Node, 'id' | 'keepAlive' | 'coreConfigId' | 'pinnedCore'>;

/** A node, and the configuration that it keeps running until it is restarted. */
export type CoreNode = Pick<Node, 'id' | 'name' | 'status' | 'pinnedCore'>;

/** The statements on nodes that concern the core configurations which they run. */
@Injectable()
export class NodeCoreRepository {
  /**
   * Pins the nodes of a core to its stored configuration. It is called before the core changes or is deleted, so that the
   * nodes keep what they run, over reconnects too, until they are restarted. Of several changes the first one counts.
   */
  async pinCore(manager: EntityManager, core: Core): Promise<void> {
    const { config, excludeInboundTags, fallbacksInboundTags } = core;
    await manager.query(
      `${LOCKED_NODES} UPDATE nodes SET core_pending = true, pinned_core = coalesce(pinned_core, $2)
       FROM locked WHERE nodes.id = locked.id`,
      [core.id, JSON.stringify({ config, excludeInboundTags, fallbacksInboundTags })],
    );
  }

  /** The nodes of a core, by id. */
  findNodesOfCore(manager: EntityManager, coreId: number): Promise<CoreNode[]> {
    return manager.find(Node, {
      select: { id: true, name: true, status: true, pinnedCore: true },
      where: { coreConfigId: coreId },
      order: { id: 'ASC' },
    });
  }

  /** The distinct engine versions that the nodes of a core have reported. */
  async findEngineVersions(manager: EntityManager, coreId: number): Promise<string[]> {
    const rows = await manager.query<{ version: string }[]>(
      'SELECT DISTINCT core_version AS version FROM nodes WHERE core_config_id = $1 AND core_version IS NOT NULL ORDER BY 1',
      [coreId],
    );
    return rows.map(({ version }) => version);
  }

  /** Has one node started again with the configuration that it runs, because the files that this names have changed. */
  async restartNode(manager: EntityManager, nodeId: number, revision: bigint): Promise<void> {
    await manager.query('UPDATE nodes SET start_revision = $2 WHERE id = $1', [nodeId, revision.toString()]);
  }

  /** Unpins the nodes of a core and has them started with its present configuration. The revision wakes their workers. */
  async restartNodesOfCore(manager: EntityManager, coreId: number, revision: bigint): Promise<void> {
    await manager.query(
      `${LOCKED_NODES} UPDATE nodes SET pinned_core = NULL, start_revision = $2 FROM locked WHERE nodes.id = locked.id`,
      [coreId, revision.toString()],
    );
  }

  findStartColumns(manager: EntityManager, nodeId: number): Promise<StartColumns> {
    return manager.findOneOrFail(Node, {
      select: { id: true, keepAlive: true, coreConfigId: true, pinnedCore: true },
      where: { id: nodeId },
    });
  }
}
