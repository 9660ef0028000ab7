import { userIdOfNodeEmail } from '@rampart/domain';
import type { CallOptions, NodeClient, TrafficBatch } from '@rampart/node-client';
import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { Node } from './node.entity.js';
import { NodeProblem } from './node-problem.js';

const LARGEST_ID = 2 ** 31 - 1;
const ATTEMPTS = 3;
/** Serialization failure, deadlock: the same transaction succeeds a moment later. */
const TRANSIENT = new Set(['40001', '40P01']);

// Rows are locked in the order of their ids, so two nodes that report the same users cannot block each other. The sum
// stays within what a number holds exactly, whatever a node claims.
const ADD_TRAFFIC = `
  WITH traffic AS (SELECT * FROM unnest($1::integer[], $2::numeric[]) AS batch (id, bytes)),
  locked AS (
    SELECT users.id, traffic.bytes FROM users JOIN traffic ON traffic.id = users.id
    ORDER BY users.id FOR NO KEY UPDATE OF users
  )
  UPDATE users SET
    used_traffic = least(users.used_traffic + round(locked.bytes * $3::numeric), ${Number.MAX_SAFE_INTEGER}),
    online_at = greatest(users.online_at, least(to_timestamp($4), now()))
  FROM locked WHERE users.id = locked.id`;

const CLOSE_BATCH = `
  UPDATE nodes SET
    uplink = least(uplink + $2::numeric, ${Number.MAX_SAFE_INTEGER}),
    downlink = least(downlink + $3::numeric, ${Number.MAX_SAFE_INTEGER}),
    traffic_ledger = $4, traffic_number = $5
  WHERE id = $1`;

interface Acknowledgement {
  ledger: string;
  number: bigint;
}

/** Brings the traffic of one node into the database, each sealed batch exactly once. */
export class TrafficCollector {
  /** Unknown until the node's row was read, and again after a failure: then the row knows better. */
  private stored?: Acknowledgement;

  constructor(
    private readonly database: DataSource,
    private readonly nodeId: number,
  ) {}

  /** Stores the next batch; the next call acknowledges it. One at a time, because under traffic there is always another. */
  async collect(client: NodeClient, options: CallOptions): Promise<void> {
    try {
      this.stored ??= await this.lastStored();
      const { ledger, number } = this.stored;
      const batch = await client.collectTraffic({ ledger, acknowledge: number }, options);
      if (batch.number === 0n) return;
      if (batch.ledger === ledger && batch.number === number) {
        throw new NodeProblem(`it repeats traffic batch ${number}, which was acknowledged`);
      }
      await this.store(batch);
      this.stored = { ledger: batch.ledger, number: batch.number };
    } catch (error) {
      this.stored = undefined;
      throw error;
    }
  }

  private async lastStored(): Promise<Acknowledgement> {
    const { trafficLedger, trafficNumber } = await this.database.manager.findOneOrFail(Node, {
      select: { id: true, trafficLedger: true, trafficNumber: true },
      where: { id: this.nodeId },
    });
    return { ledger: trafficLedger, number: trafficNumber };
  }

  private async store(batch: TrafficBatch): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.database.transaction((manager) => storeOnce(manager, this.nodeId, batch));
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }
}

async function storeOnce(manager: EntityManager, nodeId: number, batch: TrafficBatch): Promise<void> {
  const node = await manager.findOneOrFail(Node, {
    select: { id: true, trafficLedger: true, trafficNumber: true, usageCoefficient: true },
    where: { id: nodeId },
    lock: { mode: 'for_no_key_update' },
  });
  if (node.trafficLedger === batch.ledger && batch.number <= node.trafficNumber) return;
  const bytes = bytesByUser(batch);
  const sealedAt = batch.sealedAt > 0n ? batch.sealedAt.toString() : 'infinity';
  await manager.query(ADD_TRAFFIC, [
    [...bytes.keys()],
    [...bytes.values()].map(String),
    node.usageCoefficient,
    sealedAt,
  ]);
  const uplink = total(batch, 'uplink');
  const downlink = total(batch, 'downlink');
  await manager.query(CLOSE_BATCH, [nodeId, `${uplink}`, `${downlink}`, batch.ledger, `${batch.number}`]);
}

/** A user who was renamed has two e-mails in one batch. E-mails that are not ours are nobody's traffic. */
function bytesByUser({ users }: TrafficBatch): Map<number, bigint> {
  const bytes = new Map<number, bigint>();
  for (const { email, uplink, downlink } of users) {
    const id = userIdOfNodeEmail(email);
    if (id !== undefined && id <= LARGEST_ID) bytes.set(id, (bytes.get(id) ?? 0n) + uplink + downlink);
  }
  return bytes;
}

/** What the node exchanged with the world: raw, whoever caused it. */
const total = ({ outbounds }: TrafficBatch, direction: 'uplink' | 'downlink'): bigint =>
  outbounds.reduce((sum, tag) => sum + tag[direction], 0n);

const isTransient = (error: unknown): boolean =>
  error instanceof QueryFailedError && TRANSIENT.has(String(Reflect.get(error.driverError, 'code')));
