import type { TrafficBatch } from '@rampart/node-client';
import { SerialQueue } from '../concurrency/serial-queue.js';
import type { TrafficCounters } from './traffic-counters.js';
import { appendOrDiscard, type TrafficRecordLog } from './traffic-record-log.js';

/**
 * Hands traffic over exactly once. Traffic is sealed into numbered batches, one at a time; a batch is repeated
 * unchanged until its ledger and number are acknowledged.
 */
export class TrafficOutbox {
  private readonly queue = new SerialQueue();

  constructor(
    private readonly counters: TrafficCounters,
    private readonly recordLog: TrafficRecordLog,
  ) {}

  /**
   * Removes the sealed batch when exactly that one is acknowledged. Then returns the batch that is still sealed, or
   * seals a new one. A new batch is on the disk before it is returned, so that a number never means two contents.
   * Number 0 means that there is nothing to collect. `now` is in unix seconds.
   */
  collectBatch(ledger: string, acknowledge: bigint, now: bigint): Promise<TrafficBatch> {
    const { counters, recordLog } = this;
    return this.queue.run(async () => {
      // Not awaited: if this record is lost, the batch is repeated and recognised by its number.
      if (counters.isSealedBatch(ledger, acknowledge)) void recordLog.appendRecords([counters.removeSealedBatch()]);
      if (!counters.hasSealedBatch && counters.hasUnsealedTraffic)
        await appendOrDiscard(recordLog, counters.sealBatch(now), { durable: true });
      return counters.currentBatch(now);
    });
  }
}
