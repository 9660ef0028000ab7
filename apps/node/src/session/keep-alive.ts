import { performance } from 'node:perf_hooks';
import { MAX_INT32 } from '@rampart/domain';

/**
 * Ends the session when no call has come for a while. Uses monotonic time, so that changes of the clock have no effect.
 */
export class KeepAlive {
  private limitMs = 0;
  private lastCall = 0;
  private openStreams = 0;
  private timer?: NodeJS.Timeout;

  constructor(private readonly onExpired: () => void) {}

  /** Sets the time in seconds without a call after which the session ends; 0 means never. */
  arm(seconds: bigint): void {
    this.disarm();
    // Rounding of numbers above 2^53 does not matter here.
    this.limitMs = Number(seconds) * 1000;
    this.recordCall();
    this.scheduleCheck();
  }

  disarm(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.limitMs = 0;
  }

  /** Records a successful call. */
  recordCall(): void {
    this.lastCall = performance.now();
  }

  /** Keeps the session alive until the returned function is called. */
  holdOpen(): () => void {
    this.openStreams += 1;
    return () => {
      this.openStreams -= 1;
      this.recordCall();
    };
  }

  /** Whether the allowed time without a call is over. */
  get expired(): boolean {
    return this.limitMs > 0 && this.openStreams === 0 && performance.now() - this.lastCall >= this.limitMs;
  }

  /** Schedules one check at the end of the allowed time. */
  scheduleCheck(): void {
    clearTimeout(this.timer);
    if (this.limitMs === 0) return;
    const left = this.openStreams > 0 ? this.limitMs : this.lastCall + this.limitMs - performance.now();
    this.timer = setTimeout(
      () => (this.expired ? this.onExpired() : this.scheduleCheck()),
      // Node.js fires timers beyond this limit at once.
      Math.min(Math.max(left, 1), MAX_INT32),
    );
    this.timer.unref();
  }
}
