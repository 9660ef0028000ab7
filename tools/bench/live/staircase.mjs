// Estimates the median of a latency without watching what is measured, because a probe that repeats all the time would use
// the processors that the measured path needs.
import { setTimeout as wait } from 'node:timers/promises';

/** Trials that only lead to the neighbourhood of the median. */
const APPROACH = 15;
const STEP_SHARE = 0.12;
const MIN_STEP_MS = 0.5;

/**
 * The up-and-down method: each trial looks once, a delay after the event. The delay shrinks after a success and grows
 * after a failure, so it goes up and down around the median of the latency.
 */
export class Staircase {
  constructor(startMs) {
    this.delayMs = startMs;
    this.looks = [];
  }

  /**
   * One trial.
   * @param event makes the event happen, and resolves at the moment from which the latency counts
   * @param look whether the event has had its effect
   */
  async trial(event, look) {
    await event();
    const began = performance.now();
    if (this.delayMs >= 1) await wait(this.delayMs);
    const done = await look();
    const tookMs = performance.now() - began;
    this.looks.push(tookMs);
    const step = Math.max(MIN_STEP_MS, this.delayMs * STEP_SHARE);
    this.delayMs = Math.max(0, this.delayMs + (done ? -step : step));
  }

  /** The median in milliseconds, until the end of the look. */
  get median() {
    const settled = this.looks.slice(APPROACH).toSorted((one, other) => one - other);
    return settled[Math.floor(settled.length / 2)];
  }
}
