import { type Clock, SYSTEM_CLOCK, type Timer } from '../concurrency/clock.js';

interface SetTimer {
  readonly at: number;
  readonly work: () => void;
  real?: Timer;
}

/** The clock of the system, which a test can move on. */
export class MovableClock implements Clock {
  private aheadMs = 0;
  private readonly timers = new Set<SetTimer>();

  now(): number {
    return SYSTEM_CLOCK.now() + this.aheadMs;
  }

  monotonicNow(): number {
    return SYSTEM_CLOCK.monotonicNow() + this.aheadMs;
  }

  setTimer(ms: number, work: () => void): Timer {
    const timer: SetTimer = { at: this.monotonicNow() + ms, work };
    this.timers.add(timer);
    this.arm(timer);
    return { stop: () => this.forget(timer) };
  }

  /** Timers that become due meanwhile are called one after another, each at its time. */
  moveOn(ms: number): void {
    const end = this.monotonicNow() + ms;
    for (let due = this.firstUntil(end); due; due = this.firstUntil(end)) {
      this.moveTo(due.at);
      this.call(due);
    }
    this.moveTo(end);
    for (const timer of this.timers) this.arm(timer);
  }

  private firstUntil(end: number): SetTimer | undefined {
    return [...this.timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
  }

  private moveTo(at: number): void {
    this.aheadMs += Math.max(0, at - this.monotonicNow());
  }

  private arm(timer: SetTimer): void {
    timer.real?.stop();
    timer.real = SYSTEM_CLOCK.setTimer(timer.at - this.monotonicNow(), () => this.call(timer));
  }

  private call(timer: SetTimer): void {
    this.forget(timer);
    timer.work();
  }

  private forget(timer: SetTimer): void {
    timer.real?.stop();
    this.timers.delete(timer);
  }
}
