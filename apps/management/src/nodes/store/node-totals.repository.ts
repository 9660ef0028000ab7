import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

const MAX_BYTES = Number.MAX_SAFE_INTEGER;
/** The rows of `counters` that hold what deleted nodes have transferred. */
const DELETED_NODES = { uplink: 'deleted_nodes_uplink', downlink: 'deleted_nodes_downlink' };

/** Raw bytes that nodes have transferred, whichever users caused them. */
export interface NodeTotals<Bytes = number> {
  uplink: Bytes;
  downlink: Bytes;
}

/** The statements on the transferred bytes of nodes, those of deleted nodes included. */
@Injectable()
export class NodeTotalsRepository {
  /** The sums over all nodes, existing and deleted. */
  async readTotals(manager: EntityManager): Promise<NodeTotals> {
    const [row] = await manager.query<NodeTotals[]>(
      `SELECT coalesce(sum(uplink), 0)::float8 AS uplink, coalesce(sum(downlink), 0)::float8 AS downlink
       FROM (
         SELECT uplink, downlink FROM nodes
         UNION ALL SELECT value, 0 FROM counters WHERE name = '${DELETED_NODES.uplink}'
         UNION ALL SELECT 0, value FROM counters WHERE name = '${DELETED_NODES.downlink}'
       ) AS known`,
    );
    if (!row) throw new Error('the sum of the traffic of all nodes has no row');
    return row;
  }

  /** Adds to the counters of one node, which never exceed what a number holds exactly. */
  async addToNode(manager: EntityManager, nodeId: number, { uplink, downlink }: NodeTotals<bigint>): Promise<void> {
    await manager.query(
      `UPDATE nodes SET
         uplink = least(uplink + $2::numeric, ${MAX_BYTES}),
         downlink = least(downlink + $3::numeric, ${MAX_BYTES})
       WHERE id = $1`,
      [nodeId, `${uplink}`, `${downlink}`],
    );
  }

  /** Takes from the counters of one node, at most what they hold. */
  async takeFromNode(manager: EntityManager, nodeId: number, { uplink, downlink }: NodeTotals<bigint>): Promise<void> {
    await manager.query(
      `UPDATE nodes SET uplink = greatest(0, uplink - $2::numeric), downlink = greatest(0, downlink - $3::numeric)
       WHERE id = $1`,
      [nodeId, `${uplink}`, `${downlink}`],
    );
  }

  /** Keeps the counters of nodes that are about to be deleted, whose rows the caller has locked. */
  async keepTotals(manager: EntityManager, nodeIds: readonly number[]): Promise<void> {
    const [sums] = await manager.query<NodeTotals<string>[]>(
      `SELECT coalesce(sum(uplink), 0) AS uplink, coalesce(sum(downlink), 0) AS downlink
       FROM nodes WHERE id = ANY ($1::integer[])`,
      [nodeIds],
    );
    if (sums) await this.addToDeletedNodes(manager, sums);
  }

  /** Adds traffic of a node whose row has been deleted already. */
  async addToDeletedNodes(manager: EntityManager, { uplink, downlink }: NodeTotals<bigint | string>): Promise<void> {
    await manager.query(
      `UPDATE counters SET value = least(value + deleted.bytes, ${MAX_BYTES})
       FROM (VALUES ('${DELETED_NODES.uplink}', $1::numeric), ('${DELETED_NODES.downlink}', $2::numeric)) AS deleted (name, bytes)
       WHERE counters.name = deleted.name`,
      [`${uplink}`, `${downlink}`],
    );
  }
}
