import type { CallOptions, NodeClient } from '@rampart/node-client';
import type { DataSource } from 'typeorm';
import { lacksCall } from '../connection/call-failure.js';
import { isOfOtherMake } from '../connection/other-make.js';
import { TrafficAccount } from './traffic-account.js';
import { TrafficBatches } from './traffic-batches.js';
import { type CounterSource, TrafficCounters } from './traffic-counters.js';

const STARTED: CounterSource = { address: '', isOurs: true };

/** Brings the traffic of one node into the database, exactly once: its sealed batches, or else what its counters say. */
export class TrafficCollector {
  private readonly batches: TrafficBatches;
  private readonly counters: TrafficCounters;
  /** The connection of which it is known whether its node has CollectTraffic. */
  private asked?: { readonly client: NodeClient; readonly hasBatches: boolean };

  constructor(database: DataSource, nodeId: number) {
    const account = new TrafficAccount(database, nodeId);
    this.batches = new TrafficBatches(account);
    this.counters = new TrafficCounters(account);
  }

  /** Whether the node has no batches, so that all of its counters are read each time. */
  get readsCounters(): boolean {
    return this.asked?.hasBatches === false;
  }

  /** How many counters the last reading had; 0 for batches, which have only what has happened. */
  get countersRead(): number {
    return this.readsCounters ? this.counters.lastCount : 0;
  }

  /** The node may be of another kind by now, even at the end of the same connection. */
  forgetKind(): void {
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
      if (!lacksCall(error) || !isOfOtherMake(await client.info(options))) throw error;
      this.asked = { client, hasBatches: false };
      return false;
    }
    if (!this.asked) await this.counters.forget();
    this.asked = { client, hasBatches: true };
    return true;
  }
}
