import type { NodeTiming } from './node-timing.js';

/** Calls within the time after which a node stops its engine because nobody calls. */
const CALLS_PER_KEEP_ALIVE = 3;
/** Minimum interval of calls, however short the keep-alive of the node is. */
const MIN_CALL_INTERVAL_MS = 300;
/** Delay of the next collection for each counter that was read: 10 seconds for the counters of 100,000 users. */
const DELAY_PER_COUNTER_MS = 0.1;

/** Delay of the next collection for each user whose traffic was recorded: a node takes at most 1,000 rows a second. */
const DELAY_PER_RECORDED_USER_MS = 1;

/** When the tasks of one worker are due, and how long it waits after failures. */
export class NodeSchedule {
  private nextHealth = 0;
  private nextCollect = 0;
  private nextRead = 0;
  private nextCertificates: number;
  /** The node would stop its engine after a much longer time without calls. */
  private maxSilenceMs = Number.POSITIVE_INFINITY;

  constructor(private readonly timing: NodeTiming) {
    this.nextCertificates = performance.now() + timing.certificatesMs;
  }

  get isHealthDue(): boolean {
    return performance.now() >= this.nextHealth;
  }

  get isCollectDue(): boolean {
    return performance.now() >= this.nextCollect;
  }

  /** Whether changes are to be read in this step; true counts as the read, so the next one is due an interval later. */
  takeRead(): boolean {
    const now = performance.now();
    if (now < this.nextRead) return false;
    this.nextRead = now + this.timing.rereadMs;
    return true;
  }

  /** Changes may wait: the next step reads them. */
  requestRead(): void {
    this.nextRead = 0;
  }

  /** Whether certificates are to be checked now; true counts as the check, so the next one is due an interval later. */
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

  /** @param seconds the keep-alive of the node's Start; 0: the node never stops its engine by itself */
  setKeepAlive(seconds: bigint): void {
    this.maxSilenceMs =
      seconds === 0n
        ? Number.POSITIVE_INFINITY
        : Math.max((Number(seconds) * 1_000) / CALLS_PER_KEEP_ALIVE, MIN_CALL_INTERVAL_MS);
  }

  healthChecked(): void {
    this.nextHealth = performance.now() + this.timing.healthMs;
  }

  /** The next step checks the health of the node. */
  requestHealthCheck(): void {
    this.nextHealth = 0;
  }

  /**
   * @param counters number of counters that were read, changed or not
   * @param recordedUsers number of users whose traffic was recorded from a batch
   */
  trafficCollected(counters = 0, recordedUsers = 0): void {
    const work = Math.max(counters * DELAY_PER_COUNTER_MS, recordedUsers * DELAY_PER_RECORDED_USER_MS);
    const delay = Math.max(this.timing.collectMs, work);
    this.nextCollect = performance.now() + Math.min(delay, this.maxSilenceMs);
  }

  /** Exponential and randomized, so that nodes that failed together do not come back together. */
  retryDelayMs(failures: number): number {
    const { firstRetryDelayMs, maxRetryDelayMs } = this.timing;
    const delay = Math.min(firstRetryDelayMs * 2 ** (failures - 1), maxRetryDelayMs, this.maxSilenceMs);
    return delay * (0.5 + Math.random() / 2);
  }
}
