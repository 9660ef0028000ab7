import type { CallOptions, NodeClient } from '@rampart/node-client';
import { isUnknownCallError } from '../connection/call-errors.js';
import { isOtherImplementation } from '../connection/other-implementation.js';
import { TrafficBatchCollector } from './traffic-batch-collector.js';
import { type CounterSource, TrafficCounterCollector } from './traffic-counter-collector.js';
import { type ImplausibleTraffic, TrafficRecorder } from './traffic-recorder.js';
import type { TrafficStores } from './traffic-stores.js';

const STARTED: CounterSource = { address: '', countsSinceOurStart: true };

/** Records the traffic of one node exactly once: from its sealed batches, or from its engine's counters without them. */
export class TrafficCollector {
  private readonly batches: TrafficBatchCollector;
  private readonly counters: TrafficCounterCollector;
  private readonly recorder: TrafficRecorder;
  /** Whether the node of this connection has CollectTraffic; undefined until the first call. */
  private protocol?: { readonly client: NodeClient; readonly hasBatches: boolean };

  constructor(stores: TrafficStores, nodeId: number) {
    this.recorder = new TrafficRecorder(stores, nodeId);
    this.batches = new TrafficBatchCollector(this.recorder);
    this.counters = new TrafficCounterCollector(this.recorder);
  }

  /** The node has no batches, so each collection reads all of its counters. */
  get readsCounters(): boolean {
    return this.protocol?.hasBatches === false;
  }

  /** Number of users in the last batch; 0 for a node without batches. */
  get lastBatchUsers(): number {
    return this.readsCounters ? 0 : this.batches.lastUsers;
  }

  /** Number of counters in the last reading; 0 for batches, which hold only users with traffic. */
  get lastCounterCount(): number {
    return this.readsCounters ? this.counters.userCount : 0;
  }

  /** What the node last reported that is not counted; undefined: nothing since this collector began. */
  get implausible(): ImplausibleTraffic | undefined {
    return this.recorder.implausible;
  }

  /** After a Start the node may be another implementation, even on the same connection. */
  resetProtocol(): void {
    this.protocol = undefined;
  }

  /** @param source of the counters, for a node without batches */
  async collectTraffic(client: NodeClient, options: CallOptions, source: CounterSource = STARTED): Promise<void> {
    if (this.protocol?.client !== client) this.protocol = undefined;
    if (this.protocol?.hasBatches !== false && (await this.collectBatch(client, options))) return;
    await this.counters.collectCounters(client, options, source);
  }

  /** Returns false for a node without batches. */
  private async collectBatch(client: NodeClient, options: CallOptions): Promise<boolean> {
    try {
      await this.batches.collectBatch(client, options);
    } catch (error) {
      // A Rampart node has the call, so the error comes from a proxy: its counters are in its batches already.
      if (!isUnknownCallError(error) || !isOtherImplementation(await client.info({ ...options, maxEntries: 0 })))
        throw error;
      this.protocol = { client, hasBatches: false };
      return false;
    }
    if (!this.protocol) await this.counters.deleteReadings();
    this.protocol = { client, hasBatches: true };
    return true;
  }
}
