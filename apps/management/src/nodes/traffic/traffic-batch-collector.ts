import type { CallOptions, NodeClient, TrafficBatch } from '@rampart/node-client';
import { Node } from '../store/node.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import { userIdOfTraffic } from './node-user-id.js';
import type { TrafficRecorder } from './traffic-recorder.js';

/** Books the sealed batches of a node that has CollectTraffic, each exactly once. */
export class TrafficBatchCollector {
  /** When the node last had nothing to collect: what comes next was made since then. */
  private quietAt: Date | null = null;

  constructor(private readonly account: TrafficRecorder) {}

  /** Stores the next batch; the next call acknowledges it. One at a time, because under traffic there is always another. */
  async collect(client: NodeClient, options: CallOptions): Promise<void> {
    const { trafficLedger: ledger, trafficNumber: number } = await this.account.readState();
    const batch = await client.collectTraffic({ ledger, acknowledge: number }, options);
    if (batch.number === 0n) {
      this.quietAt = sealedAt(batch);
      return;
    }
    if (batch.ledger === ledger && batch.number === number) {
      throw new NodeProblem(`it repeats traffic batch ${number}, which was acknowledged`);
    }
    await this.store(batch);
  }

  private store(batch: TrafficBatch): Promise<void> {
    return this.account.update(async ({ manager, state, recordTraffic }) => {
      if (state.trafficLedger === batch.ledger && batch.number <= state.trafficNumber) return state;
      await recordTraffic({
        sealedAt: batch.sealedAt > 0n ? batch.sealedAt : undefined,
        bytesByUser: bytesByUser(batch),
        uplink: total(batch, 'uplink'),
        downlink: total(batch, 'downlink'),
        since: later(state.trafficSealedAt, this.quietAt),
      });
      const done = {
        trafficLedger: batch.ledger,
        trafficNumber: batch.number,
        trafficSealedAt: sealedAt(batch) ?? state.trafficSealedAt,
      };
      await manager.update(Node, { id: this.account.nodeId }, done);
      return { ...state, ...done };
    });
  }
}

/** By the node's clock, which may be ahead; null when the node does not say. */
const sealedAt = (batch: TrafficBatch): Date | null =>
  batch.sealedAt === 0n ? null : new Date(Math.min(Number(batch.sealedAt) * 1000, Date.now()));

const later = (one: Date | null, other: Date | null): Date | null =>
  one !== null && (other === null || one > other) ? one : other;

/** A user who was renamed has two e-mails in one batch. */
function bytesByUser({ users }: TrafficBatch): Map<number, bigint> {
  const bytes = new Map<number, bigint>();
  for (const { email, uplink, downlink } of users) {
    const id = userIdOfTraffic(email);
    if (id !== undefined) bytes.set(id, (bytes.get(id) ?? 0n) + uplink + downlink);
  }
  return bytes;
}

/** What the node exchanged with the world: raw, whoever caused it. */
const total = ({ outbounds }: TrafficBatch, direction: 'uplink' | 'downlink'): bigint =>
  outbounds.reduce((sum, tag) => sum + tag[direction], 0n);
