import type { CallOptions, CollectedTraffic, NodeClient, TrafficBatch } from '@rampart/node-client';
import { MAX_INT64 } from '../connection/answer-rules.js';
import { NodeProblem } from '../store/node-problem.js';
import type { TrafficState } from './node-traffic.repository.js';
import { userIdOfTraffic } from './node-user-id.js';
import type { TrafficRecorder } from './traffic-recorder.js';

/** Records the sealed batches of a node that has the call CollectTraffic, each batch exactly once. */
export class TrafficBatchCollector {
  /** When the node last had no batch: the next batch holds only traffic since then. */
  private emptyAt: Date | null = null;
  /** The last stored batch, while nothing has failed since: nobody else records traffic of the node. */
  private stored: Pick<TrafficState, 'trafficLedger' | 'trafficNumber'> | undefined;
  private users = 0;

  constructor(private readonly recorder: TrafficRecorder) {}

  /** Number of users in the last batch. */
  get lastUsers(): number {
    return this.users;
  }

  /** Stores the next batch, which the next call acknowledges. Only one, because a busy node always has another. */
  async collectBatch(client: NodeClient, options: CallOptions): Promise<void> {
    // After a failure the batch may be one that was sealed for an earlier call, and newer traffic follows it.
    const isComplete = this.stored !== undefined;
    const stored = this.stored ?? (await this.recorder.readState());
    this.stored = undefined;
    const { trafficLedger: ledger, trafficNumber: number } = stored;
    const maxEntries = await this.recorder.stores.maxEntries();
    const batch = await client.collectTraffic({ ledger, acknowledge: number }, { ...options, maxEntries });
    this.users = batch.users.length;
    if (batch.number === 0n) {
      this.emptyAt = sealedAt(batch);
      await this.recorder.settle();
      this.stored = stored;
      return;
    }
    if (batch.ledger === ledger && batch.number === number) {
      throw new NodeProblem(`it repeats traffic batch ${number}, which was acknowledged`);
    }
    if (batch.number > MAX_INT64)
      throw new NodeProblem(`its traffic batch has the number ${batch.number}, which none can have`);
    this.stored = await this.storeBatch(batch, isComplete);
  }

  private storeBatch(batch: CollectedTraffic, isComplete: boolean): Promise<TrafficState> {
    const { stores, nodeId } = this.recorder;
    return this.recorder.update(async ({ manager, state, recordTraffic }) => {
      if (state.trafficLedger === batch.ledger && batch.number <= state.trafficNumber) return state;
      const recorded = await recordTraffic({
        sealedAt: batch.sealedAt > 0n ? batch.sealedAt : undefined,
        bytesByUser: bytesByUser(batch),
        uplink: outboundBytes(batch, 'uplink'),
        downlink: outboundBytes(batch, 'downlink'),
        since: later(state.trafficSealedAt, this.emptyAt),
        isComplete,
        unreadEntries: batch.leftOut,
      });
      const lastBatch = {
        trafficLedger: batch.ledger,
        trafficNumber: batch.number,
        trafficSealedAt: sealedAt(batch) ?? state.trafficSealedAt,
      };
      await stores.nodes.setLastBatch(manager, nodeId, lastBatch);
      return { ...recorded, ...lastBatch };
    });
  }
}

/** By the node's clock, which may be ahead of ours; null where the node does not say. */
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

/** Raw bytes that the node exchanged with servers, whichever users caused them. */
const outboundBytes = ({ outbounds }: TrafficBatch, direction: 'uplink' | 'downlink'): bigint =>
  outbounds.reduce((sum, tag) => sum + tag[direction], 0n);
