import type { NodeTiming } from './node-timing.js';

/** Calls in the time that a node goes on without any. */
const CALLS_PER_KEEP_ALIVE = 3;
const SHORTEST_MS = 300;
/** The more counters are read each time, the longer the pause: 10 seconds behind those of 100,000 users. */
const PAUSE_PER_COUNTER_MS = 0.1;

/** When a node is asked how it is, when its traffic is collected, and how long it is left alone after failures. */
export class NodeSchedule {
  private nextHealth = 0;
  private nextCollect = 0;
  private nextCertificates: number;
  /** It would stop its engine if it heard nothing for much longer. */
  private longestSilenceMs = Number.POSITIVE_INFINITY;

  constructor(private readonly timing: NodeTiming) {
    this.nextCertificates = performance.now() + timing.certificatesMs;
  }

  get isHealthDue(): boolean {
    return performance.now() >= this.nextHealth;
  }

  get isCollectDue(): boolean {
    return performance.now() >= this.nextCollect;
  }

  /** Asking counts as a look: the next one is due a whole interval later. */
  takeCertificateCheck(): boolean {
    const now = performance.now();
    if (now < this.nextCertificates) return false;
    this.nextCertificates = now + this.timing.certificatesMs;
    return true;
  }

  get msUntilNextTask(): number {
    const next = Math.min(this.nextHealth, this.nextCollect, this.nextCertificates);
    return Math.max(0, next - performance.now());
  }

  /** @param seconds as the node was told with its Start; 0: it never stops by itself */
  setKeepAlive(seconds: bigint): void {
    this.longestSilenceMs =
      seconds === 0n
        ? Number.POSITIVE_INFINITY
        : Math.max((Number(seconds) * 1_000) / CALLS_PER_KEEP_ALIVE, SHORTEST_MS);
  }

  healthChecked(): void {
    this.nextHealth = performance.now() + this.timing.healthMs;
  }

  requestHealthCheck(): void {
    this.nextHealth = 0;
  }

  /** @param counters how many were read, changed or not */
  trafficCollected(counters = 0): void {
    const pause = Math.max(this.timing.collectMs, counters * PAUSE_PER_COUNTER_MS);
    this.nextCollect = performance.now() + Math.min(pause, this.longestSilenceMs);
  }

  /** Spread, so that nodes that failed together do not come back together. */
  retryDelayMs(failures: number): number {
    const { firstRetryDelayMs, maxRetryDelayMs } = this.timing;
    const pause = Math.min(firstRetryDelayMs * 2 ** (failures - 1), maxRetryDelayMs, this.longestSilenceMs);
    return pause * (0.5 + Math.random() / 2);
  }
}
