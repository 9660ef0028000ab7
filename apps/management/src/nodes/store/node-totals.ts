import type { EntityManager } from 'typeorm';

const MOST = Number.MAX_SAFE_INTEGER;
/** The counters of the nodes that are gone. */
const KEPT = { uplink: 'deleted_nodes_uplink', downlink: 'deleted_nodes_downlink' };

/** Bytes that nodes have ever exchanged with the world. */
export interface NodeTotals {
  uplink: number;
  downlink: number;
}

/** Of all nodes, those that are deleted now included. */
export async function nodeTotals(manager: EntityManager): Promise<NodeTotals> {
  const [row] = await manager.query<NodeTotals[]>(
    `SELECT coalesce(sum(uplink), 0)::float8 AS uplink, coalesce(sum(downlink), 0)::float8 AS downlink
     FROM (
       SELECT uplink, downlink FROM nodes
       UNION ALL SELECT value, 0 FROM counters WHERE name = '${KEPT.uplink}'
       UNION ALL SELECT 0, value FROM counters WHERE name = '${KEPT.downlink}'
     ) AS known`,
  );
  if (!row) throw new Error('a sum has no row');
  return row;
}

/** To be called before nodes are deleted, whose rows the caller has locked: what they exchanged stays counted. */
export async function keepTotals(manager: EntityManager, nodeIds: readonly number[]): Promise<void> {
  const [gone] = await manager.query<{ uplink: string; downlink: string }[]>(
    `SELECT coalesce(sum(uplink), 0) AS uplink, coalesce(sum(downlink), 0) AS downlink
     FROM nodes WHERE id = ANY ($1::integer[])`,
    [nodeIds],
  );
  if (gone) await addToKept(manager, gone);
}

/** The same for what comes of a node that is deleted already. */
export async function addToKept(
  manager: EntityManager,
  { uplink, downlink }: { uplink: bigint | string; downlink: bigint | string },
): Promise<void> {
  await manager.query(
    `UPDATE counters SET value = least(value + gone.bytes, ${MOST})
     FROM (VALUES ('${KEPT.uplink}', $1::numeric), ('${KEPT.downlink}', $2::numeric)) AS gone (name, bytes)
     WHERE counters.name = gone.name`,
    [`${uplink}`, `${downlink}`],
  );
}
