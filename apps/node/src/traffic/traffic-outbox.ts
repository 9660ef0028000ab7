import type { TrafficBatch } from '@rampart/node-client';
import { SerialQueue } from '../concurrency/serial-queue.js';
import type { TrafficCounters } from './traffic-counters.js';
import { appendOrDiscard, type TrafficRecordLog } from './traffic-record-log.js';

/**
 * Traffic that is handed over exactly once. What was read is sealed into numbered batches, one at a time; a batch is
 * repeated unchanged until its ledger and number are acknowledged.
 */
export class TrafficOutbox {
  private readonly queue = new SerialQueue();

  constructor(
    private readonly counters: TrafficCounters,
    private readonly recorder: TrafficRecordLog,
  ) {}

  /**
   * Forgets the sealed batch when exactly it is acknowledged, then answers the sealed or a newly sealed one, once its seal
   * is on the disk: a number never means two contents. Number 0 = nothing to collect. `now` in unix seconds.
   */
  collectBatch(ledger: string, acknowledge: bigint, now: bigint): Promise<TrafficBatch> {
    const { counters, recorder } = this;
    return this.queue.run(async () => {
      // Not awaited: when it is lost the batch is repeated, and known by its number.
      if (counters.isSealedBatch(ledger, acknowledge)) void recorder.appendRecords([counters.removeSealedBatch()]);
      if (!counters.hasSealedBatch && counters.hasUnsealedTraffic)
        await appendOrDiscard(recorder, counters.sealBatch(now), { durable: true });
      return counters.currentBatch(now);
    });
  }
}
