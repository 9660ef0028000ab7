import type { CoordinationConnection } from './coordination-connection.js';

/** First key of the advisory locks on nodes; the second key is the id of the node. */
export const NODE_LOCK = 0x6e_6f_64_65; // "node"

export interface LockableNode {
  id: number;
  enabled: boolean;
  /** This replica has got the lock by this call. */
  won: boolean;
}

/** The advisory locks by which replicas share the nodes: the replica that holds the lock of a node runs its worker. */
export class NodeLocks {
  /** @param connection holds the locks; they are released when it breaks */
  constructor(private readonly connection: CoordinationConnection) {}

  /** Tries to lock every enabled node whose lock this replica does not hold yet, and returns all nodes. */
  acquireLocks(heldIds: readonly number[]): Promise<LockableNode[]> {
    return this.connection.query<LockableNode & Record<string, unknown>>(
      `SELECT id, status <> 'disabled' AS enabled,
         CASE WHEN status = 'disabled' OR id = ANY($2) THEN false ELSE pg_try_advisory_lock($1, id) END AS won
       FROM nodes`,
      [NODE_LOCK, heldIds],
    );
  }

  async releaseLock(nodeId: number): Promise<void> {
    await this.connection.query('SELECT pg_advisory_unlock($1, $2)', [NODE_LOCK, nodeId]);
  }
}
