import { NODES_CHANNEL } from '../store/node-channel.js';
import type { CoordinationConnection } from './coordination-connection.js';

/** First key of the advisory locks on nodes; the second key is the id of the node. */
export const NODE_LOCK = 0x6e_6f_64_65; // "node"
/** Upper half of the advisory locks by which replicas count each other; the lower half is the connection's process id. */
const REPLICA_LOCK = 0x72_65_70_6c; // "repl"

export interface LockableNode {
  id: number;
  enabled: boolean;
  /** This replica has got the lock by this call. */
  won: boolean;
}

interface NodeRow extends Record<string, unknown> {
  id: number;
  enabled: boolean;
}

const NODES = `SELECT id, status <> 'disabled' AS enabled FROM nodes ORDER BY id`;

const REPLICAS = `SELECT count(*)::integer AS replicas FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND classid = $1::oid AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const LOCK = `SELECT id, pg_try_advisory_lock($1, id) AS won FROM unnest($2::integer[]) AS free (id)`;

/** The advisory locks by which replicas share the nodes: the replica that holds the lock of a node runs its worker. */
export class NodeLocks {
  /** @param connection holds the locks; they are released when it breaks */
  constructor(private readonly connection: CoordinationConnection) {}

  /** Has the other replicas count this one, and share the nodes anew. Call it once for each connection. */
  async joinReplicas(): Promise<void> {
    await this.connection.query(`SELECT pg_advisory_lock(($1::bigint << 32) | pg_backend_pid()), pg_notify($2, '')`, [
      REPLICA_LOCK,
      NODES_CHANNEL,
    ]);
  }

  /** Has every replica look for free nodes. */
  async announceFreeNodes(): Promise<void> {
    await this.connection.query('SELECT pg_notify($1, $2)', [NODES_CHANNEL, '']);
  }

  /**
   * Locks free nodes until this replica holds its share of the enabled ones, and returns all nodes and the share: as many
   * for each replica, and one more where they do not divide.
   */
  async acquireLocks(heldIds: readonly number[]): Promise<{ nodes: LockableNode[]; share: number }> {
    const nodes = await this.connection.query<NodeRow>(NODES, []);
    const [counted] = await this.connection.query<{ replicas: number }>(REPLICAS, [REPLICA_LOCK]);
    const enabled = nodes.filter((node) => node.enabled).map(({ id }) => id);
    const share = Math.ceil(enabled.length / Math.max(1, counted?.replicas ?? 1));
    const held = new Set(heldIds);
    const won = new Set<number>();
    const wanted = () => share - enabled.filter((id) => held.has(id) || won.has(id)).length;
    const others = enabled.filter((id) => !held.has(id));
    while (wanted() > 0 && others.length > 0) {
      const tried = others.splice(0, wanted());
      const locked = await this.connection.query<{ id: number; won: boolean }>(LOCK, [NODE_LOCK, tried]);
      for (const node of locked) if (node.won) won.add(node.id);
    }
    return { nodes: nodes.map(({ id, enabled }) => ({ id, enabled, won: won.has(id) })), share };
  }

  async releaseLock(nodeId: number): Promise<void> {
    await this.connection.query('SELECT pg_advisory_unlock($1, $2)', [NODE_LOCK, nodeId]);
  }
}
