import type { TrafficBatch } from '@rampart/node-client';
import type { TrafficReading } from '../backend/backend.js';
import { TrafficSum } from './traffic-sum.js';

/**
 * Traffic that is handed over exactly once. What was read is sealed into numbered batches, one at a time; a batch is
 * repeated unchanged until its ledger and number are acknowledged.
 */
export class TrafficLedger {
  private open = new TrafficSum();
  private sealed?: TrafficBatch;
  private number = 0n;

  /** The id names this book: after it is lost, another one starts at number 1. */
  constructor(readonly id: string) {}

  add(reading: TrafficReading): void {
    this.open.add(reading);
  }

  /**
   * Forgets the sealed batch when exactly it is acknowledged, then answers the sealed or a newly sealed one.
   * Number 0 = nothing to collect. `now` in unix seconds.
   */
  collect(ledger: string, acknowledge: bigint, now: bigint): TrafficBatch {
    if (this.acknowledges(ledger, acknowledge)) this.sealed = undefined;
    if (this.sealed === undefined && !this.open.empty) this.sealed = this.seal(now);
    return this.sealed ?? { ledger: this.id, number: 0n, sealedAt: now, users: [], inbounds: [], outbounds: [] };
  }

  private acknowledges(ledger: string, number: bigint): boolean {
    return this.sealed !== undefined && ledger === this.id && number === this.sealed.number;
  }

  private seal(now: bigint): TrafficBatch {
    const { users, inbounds, outbounds } = this.open;
    this.open = new TrafficSum();
    this.number += 1n;
    return {
      ledger: this.id,
      number: this.number,
      sealedAt: now,
      users: [...users].map(([email, bytes]) => ({ email, ...bytes })),
      inbounds: [...inbounds].map(([tag, bytes]) => ({ tag, ...bytes })),
      outbounds: [...outbounds].map(([tag, bytes]) => ({ tag, ...bytes })),
    };
  }
}
