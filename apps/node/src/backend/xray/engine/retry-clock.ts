import { jitteredPauseMs } from './pause.js';

const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 1_800_000;

export interface RetryClockOptions {
  /** How long the engine must have run before a try. */
  readonly stableMs: number;
  /** The first pause; each further one is twice as long, up to half an hour. Default 1 minute. */
  readonly firstPauseMs?: number | undefined;
  onDue(): void;
}

/** When the desired state is tried again, while the engine runs with another one because it kept failing. */
export class RetryClock {
  private tries = 0;
  private triedAt = Number.NEGATIVE_INFINITY;
  /** The next try by the monotonic clock, and as a date. */
  private due?: { readonly at: number; readonly date: Date } | undefined;
  private timer?: NodeJS.Timeout;
  private readonly firstPauseMs: number;

  constructor(private readonly options: RetryClockOptions) {
    this.firstPauseMs = options.firstPauseMs ?? FIRST_PAUSE_MS;
  }

  get nextTry(): Date | undefined {
    return this.due?.date;
  }

  /** An engine with another state has come up. */
  start(): void {
    const pause = this.due ? this.due.at - performance.now() : this.nextPauseMs();
    this.setDue(Math.max(pause, this.options.stableMs));
  }

  /** The engine has ended. The time of the next try stays. */
  stop(): void {
    clearTimeout(this.timer);
  }

  /** The desired state is tried: the pause after it is a longer one. */
  countTry(): void {
    this.tries += 1;
    this.triedAt = performance.now();
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
    const now = performance.now();
    const pause = Math.max(this.triedAt + this.firstPauseMs - now, this.options.stableMs);
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
    return jitteredPauseMs(this.tries, this.firstPauseMs, MAX_PAUSE_MS);
  }

  private setDue(pauseMs: number): void {
    this.stop();
    this.due = { at: performance.now() + pauseMs, date: new Date(Date.now() + pauseMs) };
    this.timer = setTimeout(() => this.options.onDue(), pauseMs);
    this.timer.unref();
  }
}
