/** What is told at most so often: whoever guesses keys must not fill the log. */
const REPORT_INTERVAL_MS = 60_000;

/** Tells of calls that did not show the right key: of the first at once, then once a minute how many there were. */
export class RefusedCallsLog {
  private unreported = 0;
  private paused = false;

  constructor(private readonly warn: (text: string) => void) {}

  /** One more; always false. */
  recordRefusal(): false {
    if (this.paused) this.unreported += 1;
    else {
      this.warn('a call with a wrong or no API key was refused');
      this.pause();
    }
    return false;
  }

  private pause(): void {
    this.paused = true;
    setTimeout(() => {
      this.paused = false;
      if (this.unreported === 0) return;
      this.warn(`${this.unreported} more calls with a wrong or no API key were refused in the last minute`);
      this.unreported = 0;
      this.pause();
    }, REPORT_INTERVAL_MS).unref();
  }
}
