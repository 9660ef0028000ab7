import type { CallOptions, NodeClient } from '@rampart/node-client';
import type { DataSource } from 'typeorm';
import { isUnknownCallError } from '../connection/call-errors.js';
import { isOtherImplementation } from '../connection/other-implementation.js';
import { TrafficBatchCollector } from './traffic-batch-collector.js';
import { type CounterSource, TrafficCounterCollector } from './traffic-counter-collector.js';
import { TrafficRecorder } from './traffic-recorder.js';

const STARTED: CounterSource = { address: '', countsSinceOurStart: true };

/** Brings the traffic of one node into the database, exactly once: its sealed batches, or else what its counters say. */
export class TrafficCollector {
  private readonly batches: TrafficBatchCollector;
  private readonly counters: TrafficCounterCollector;
  /** The connection of which it is known whether its node has CollectTraffic. */
  private asked?: { readonly client: NodeClient; readonly hasBatches: boolean };

  constructor(database: DataSource, nodeId: number) {
    const account = new TrafficRecorder(database, nodeId);
    this.batches = new TrafficBatchCollector(account);
    this.counters = new TrafficCounterCollector(account);
  }

  /** Whether the node has no batches, so that all of its counters are read each time. */
  get readsCounters(): boolean {
    return this.asked?.hasBatches === false;
  }

  /** How many counters the last reading had; 0 for batches, which have only what has happened. */
  get lastCounterCount(): number {
    return this.readsCounters ? this.counters.userCount : 0;
  }

  /** The node may be of another kind by now, even at the end of the same connection. */
  resetProtocol(): void {
    this.asked = undefined;
  }

  /** @param source whose counters are read, if it comes to that */
  async collect(client: NodeClient, options: CallOptions, source: CounterSource = STARTED): Promise<void> {
    if (this.asked?.client !== client) this.asked = undefined;
    if (this.asked?.hasBatches !== false && (await this.collectBatch(client, options))) return;
    await this.counters.collect(client, options, source);
  }

  private async collectBatch(client: NodeClient, options: CallOptions): Promise<boolean> {
    try {
      await this.batches.collect(client, options);
    } catch (error) {
      // One of ours has the call, so somebody on the way said this: what its counters say is in its batches already.
      if (!isUnknownCallError(error) || !isOtherImplementation(await client.info(options))) throw error;
      this.asked = { client, hasBatches: false };
      return false;
    }
    if (!this.asked) await this.counters.deleteReadings();
    this.asked = { client, hasBatches: true };
    return true;
  }
}
