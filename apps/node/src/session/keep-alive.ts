import { performance } from 'node:perf_hooks';
import { MAX_INT32 } from '@rampart/domain';

/** Ends the session when nobody calls for a while. Time is monotonic: a jump of the wall clock changes nothing. */
export class KeepAlive {
  private limitMs = 0;
  private lastCall = 0;
  private openStreams = 0;
  private timer?: NodeJS.Timeout;

  constructor(private readonly onExpired: () => void) {}

  /** Seconds without a call after which the session ends; 0 = never. Takes the place of an earlier limit. */
  arm(seconds: bigint): void {
    this.disarm();
    // Beyond what a number holds exactly nobody waits for the end.
    this.limitMs = Number(seconds) * 1000;
    this.recordCall();
    this.scheduleCheck();
  }

  disarm(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.limitMs = 0;
  }

  /** A call succeeded. */
  recordCall(): void {
    this.lastCall = performance.now();
  }

  /** A stream is open until the returned function is called; as long as one is, nothing expires. */
  holdOpen(): () => void {
    this.openStreams += 1;
    return () => {
      this.openStreams -= 1;
      this.recordCall();
    };
  }

  /** Whether the time is over now. */
  get expired(): boolean {
    return this.limitMs > 0 && this.openStreams === 0 && performance.now() - this.lastCall >= this.limitMs;
  }

  /** Waits for the end of the time, once. */
  scheduleCheck(): void {
    clearTimeout(this.timer);
    if (this.limitMs === 0) return;
    const left = this.openStreams > 0 ? this.limitMs : this.lastCall + this.limitMs - performance.now();
    this.timer = setTimeout(
      () => (this.expired ? this.onExpired() : this.scheduleCheck()),
      // A longer timer of Node.js fires at once.
      Math.min(Math.max(left, 1), MAX_INT32),
    );
    this.timer.unref();
  }
}
