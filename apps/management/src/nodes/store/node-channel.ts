import type { EntityManager } from 'typeorm';

/** Says that a node was added, changed or removed; the replicas then look at the table. */
export const NODES_CHANNEL = 'rampart_nodes';

/** First key of the advisory locks on nodes; the second is the node's id. */
export const NODE_LOCK = 0x6e_6f_64_65; // "node"

/** Takes effect when the transaction commits. */
export async function announceNodeChange(manager: EntityManager): Promise<void> {
  await manager.query('SELECT pg_notify($1, $2)', [NODES_CHANNEL, '']);
}
