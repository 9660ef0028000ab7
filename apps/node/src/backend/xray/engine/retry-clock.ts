import { type Clock, SYSTEM_CLOCK, type Timer } from '../../../concurrency/clock.js';
import { jitteredPauseMs } from './pause.js';

const FIRST_PAUSE_MS = 60_000;
/** Each further pause is twice as long, up to this one. */
const MAX_PAUSE_MS = 1_800_000;

export interface RetryClockOptions {
  /** How long the engine must have run before a try. */
  readonly stableMs: number;
  readonly clock?: Clock | undefined;
  onDue(): void;
}

/** When the desired state is tried again, while the engine runs with another one because it kept failing. */
export class RetryClock {
  private tries = 0;
  private triedAt = Number.NEGATIVE_INFINITY;
  /** The next try by the monotonic clock, and as a date. */
  private due?: { readonly at: number; readonly date: Date } | undefined;
  private timer?: Timer;
  private readonly clock: Clock;

  constructor(private readonly options: RetryClockOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  get nextTry(): Date | undefined {
    return this.due?.date;
  }

  /** An engine with another state has come up. */
  start(): void {
    const pause = this.due ? this.due.at - this.clock.monotonicNow() : this.nextPauseMs();
    this.setDue(Math.max(pause, this.options.stableMs));
  }

  /** The engine has ended. The time of the next try stays. */
  stop(): void {
    this.timer?.stop();
  }

  /** The desired state is tried: the pause after it is a longer one. */
  countTry(): void {
    this.tries += 1;
    this.triedAt = this.clock.monotonicNow();
    this.due = undefined;
  }

  /** A try was not possible: the next one comes after the same pause. */
  postpone(): void {
    this.due = undefined;
    this.start();
  }

  /** Brings the next try forward, unless the last one was a short time ago. */
  hasten(): void {
    if (this.due === undefined) return;
    const now = this.clock.monotonicNow();
    const pause = Math.max(this.triedAt + FIRST_PAUSE_MS - now, this.options.stableMs);
    if (pause < this.due.at - now) this.setDue(pause);
  }

  /** The desired state has proved itself, or is another one now. */
  reset(): void {
    this.stop();
    this.tries = 0;
    this.triedAt = Number.NEGATIVE_INFINITY;
    this.due = undefined;
  }

  private nextPauseMs(): number {
    return jitteredPauseMs(this.tries, FIRST_PAUSE_MS, MAX_PAUSE_MS);
  }

  private setDue(pauseMs: number): void {
    this.stop();
    this.due = { at: this.clock.monotonicNow() + pauseMs, date: new Date(this.clock.now() + pauseMs) };
    this.timer = this.clock.setTimer(pauseMs, () => this.options.onDue());
  }
}
