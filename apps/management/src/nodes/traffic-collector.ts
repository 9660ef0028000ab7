import { userIdOfNodeEmail } from '@rampart/domain';
import type { CallOptions, NodeClient, TrafficBatch } from '@rampart/node-client';
import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { bookTraffic } from '../usage/book-traffic.js';
import { addToKept } from '../usage/node-totals.js';
import { noteTraffic } from '../users/life-cycle/note-traffic.js';
import { Node } from './node.entity.js';
import { NodeProblem } from './node-problem.js';

const LARGEST_ID = 2 ** 31 - 1;
const ATTEMPTS = 3;
/** Serialization failure, deadlock: the same transaction succeeds a moment later. */
const TRANSIENT = new Set(['40001', '40P01']);

const CLOSE_BATCH = `
  UPDATE nodes SET
    uplink = least(uplink + $2::numeric, ${Number.MAX_SAFE_INTEGER}),
    downlink = least(downlink + $3::numeric, ${Number.MAX_SAFE_INTEGER}),
    traffic_ledger = $4, traffic_number = $5, traffic_sealed_at = coalesce($6, traffic_sealed_at)
  WHERE id = $1`;

/** How a node's traffic is booked, and up to where it is. */
type Account = Pick<Node, 'trafficLedger' | 'trafficNumber' | 'trafficSealedAt' | 'usageCoefficient'>;

const ACCOUNT = { id: true, trafficLedger: true, trafficNumber: true, trafficSealedAt: true, usageCoefficient: true };

/** Brings the traffic of one node into the database, each sealed batch exactly once. */
export class TrafficCollector {
  /** As the node's row says, or said before the node was deleted: what is left of it is booked all the same. */
  private account?: Account;
  /** When the node last had nothing to collect: what comes next was made since then. */
  private quietAt: Date | null = null;

  constructor(
    private readonly database: DataSource,
    private readonly nodeId: number,
  ) {}

  /** Stores the next batch; the next call acknowledges it. One at a time, because under traffic there is always another. */
  async collect(client: NodeClient, options: CallOptions): Promise<void> {
    const known = await this.readAccount();
    const { trafficLedger: ledger, trafficNumber: number } = known;
    const batch = await client.collectTraffic({ ledger, acknowledge: number }, options);
    if (batch.number === 0n) {
      this.quietAt = sealedAt(batch);
      return;
    }
    if (batch.ledger === ledger && batch.number === number) {
      throw new NodeProblem(`it repeats traffic batch ${number}, which was acknowledged`);
    }
    await this.store(batch, known);
  }

  private async readAccount(): Promise<Account> {
    const row = await this.database.manager.findOne(Node, { select: ACCOUNT, where: { id: this.nodeId } });
    this.account = row ?? this.account;
    if (!this.account) throw new NodeProblem('it was deleted before anything was collected');
    return this.account;
  }

  private async store(batch: TrafficBatch, known: Account): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.account = await this.database.transaction((manager) => this.storeOnce(manager, batch, known));
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  /** Answers the account as it is then. */
  private async storeOnce(manager: EntityManager, batch: TrafficBatch, known: Account): Promise<Account> {
    const { nodeId } = this;
    const where = { id: nodeId };
    const row = await manager.findOne(Node, { select: ACCOUNT, where, lock: { mode: 'for_no_key_update' } });
    const account = row ?? known;
    if (account.trafficLedger === batch.ledger && batch.number <= account.trafficNumber) return account;
    const users = bytesByUser(batch);
    const totals = { uplink: total(batch, 'uplink'), downlink: total(batch, 'downlink') };
    await bookTraffic(manager, {
      nodeId,
      coefficient: account.usageCoefficient,
      sealedAt: batch.sealedAt > 0n ? batch.sealedAt : undefined,
      bytesByUser: users,
      ...totals,
    });
    await noteTraffic(manager, [...users.keys()], later(account.trafficSealedAt, this.quietAt));
    await manager.query(CLOSE_BATCH, [
      ...[nodeId, `${totals.uplink}`, `${totals.downlink}`, batch.ledger, `${batch.number}`],
      sealedAt(batch),
    ]);
    if (!row) await addToKept(manager, totals);
    return {
      trafficLedger: batch.ledger,
      trafficNumber: batch.number,
      trafficSealedAt: sealedAt(batch) ?? account.trafficSealedAt,
      usageCoefficient: account.usageCoefficient,
    };
  }
}

/** By the node's clock, which may be ahead; null when the node does not say. */
const sealedAt = (batch: TrafficBatch): Date | null =>
  batch.sealedAt === 0n ? null : new Date(Math.min(Number(batch.sealedAt) * 1000, Date.now()));

const later = (one: Date | null, other: Date | null): Date | null =>
  one !== null && (other === null || one > other) ? one : other;

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
