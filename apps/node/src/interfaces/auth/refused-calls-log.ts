/** Refused calls are reported at most this often, so that a caller who guesses keys cannot fill the log. */
const REPORT_INTERVAL_MS = 60_000;

/** Logs calls without the right key: the first one at once, then their number once a minute. */
export class RefusedCallsLog {
  private unreported = 0;
  private paused = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly warn: (text: string) => void) {}

  /** Counts a refused call. Always returns false, so that it can follow a failed check. */
  recordRefusal(): false {
    if (this.paused) this.unreported += 1;
    else {
      this.warn('a call with a wrong or no API key was refused');
      this.pause();
    }
    return false;
  }

  /** Logs nothing more: the node has ended. */
  stop(): void {
    clearTimeout(this.timer);
  }

  private pause(): void {
    this.paused = true;
    this.timer = setTimeout(() => {
      this.paused = false;
      if (this.unreported === 0) return;
      this.warn(`${this.unreported} more calls with a wrong or no API key were refused in the last minute`);
      this.unreported = 0;
      this.pause();
    }, REPORT_INTERVAL_MS).unref();
  }
}
