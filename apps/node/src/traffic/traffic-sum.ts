import type { Bytes, TrafficReading } from '../backend/backend.js';

/** Adds readings up by name. Names without a byte are left out. */
export class TrafficSum implements TrafficReading {
  readonly users = new Map<string, Bytes>();
  readonly inbounds = new Map<string, Bytes>();
  readonly outbounds = new Map<string, Bytes>();

  get empty(): boolean {
    return this.users.size === 0 && this.inbounds.size === 0 && this.outbounds.size === 0;
  }

  add(reading: TrafficReading): void {
    addAll(this.users, reading.users);
    addAll(this.inbounds, reading.inbounds);
    addAll(this.outbounds, reading.outbounds);
  }
}

function addAll(sums: Map<string, Bytes>, bytes: ReadonlyMap<string, Bytes>): void {
  for (const [name, { uplink, downlink }] of bytes) {
    if (uplink === 0n && downlink === 0n) continue;
    const sum = sums.get(name);
    if (sum === undefined) {
      sums.set(name, { uplink, downlink });
    } else {
      sum.uplink += uplink;
      sum.downlink += downlink;
    }
  }
}
