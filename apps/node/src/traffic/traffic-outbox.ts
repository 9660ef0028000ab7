import type { TrafficBatch } from '@rampart/node-client';
import { SerialQueue } from '../concurrency/serial-queue.js';
import type { TrafficBook } from './traffic-counters.js';
import { keep, type TrafficRecorder } from './traffic-recorder.js';

/**
 * Traffic that is handed over exactly once. What was read is sealed into numbered batches, one at a time; a batch is
 * repeated unchanged until its ledger and number are acknowledged.
 */
export class TrafficLedger {
  private readonly queue = new SerialQueue();

  constructor(
    private readonly book: TrafficBook,
    private readonly recorder: TrafficRecorder,
  ) {}

  /**
   * Forgets the sealed batch when exactly it is acknowledged, then answers the sealed or a newly sealed one, once its seal
   * is on the disk: a number never means two contents. Number 0 = nothing to collect. `now` in unix seconds.
   */
  collect(ledger: string, acknowledge: bigint, now: bigint): Promise<TrafficBatch> {
    const { book, recorder } = this;
    return this.queue.run(async () => {
      // Not awaited: when it is lost the batch is repeated, and known by its number.
      if (book.acknowledges(ledger, acknowledge)) void recorder.append([book.acknowledge()]);
      if (!book.sealed && book.unsealed) await keep(recorder, book.seal(now), { durable: true });
      return book.batch(now);
    });
  }
}
