/** A time to which something waits. */
export interface Timer {
  stop(): void;
}

/** A clock and its timers. What waits for minutes or days takes one, so that a test need not wait as long. */
export interface Clock {
  /** The time in ms since 1970. */
  now(): number;
  /** A time in ms that never jumps. */
  monotonicNow(): number;
  /** Calls once after this time. The timer does not keep the process running. */
  setTimer(ms: number, work: () => void): Timer;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  setTimer: (ms, work) => {
    const timer = setTimeout(work, ms).unref();
    return { stop: () => clearTimeout(timer) };
  },
};
