/** What is told at most so often: whoever guesses keys must not fill the log. */
const EVERY_MS = 60_000;

/** Tells of calls that did not show the right key: of the first at once, then once a minute how many there were. */
export class RefusedKeys {
  private held = 0;
  private resting = false;

  constructor(private readonly tell: (text: string) => void) {}

  /** One more; always false. */
  count(): false {
    if (this.resting) this.held += 1;
    else {
      this.tell('a call with a wrong or no API key was refused');
      this.rest();
    }
    return false;
  }

  private rest(): void {
    this.resting = true;
    setTimeout(() => {
      this.resting = false;
      if (this.held === 0) return;
      this.tell(`${this.held} more calls with a wrong or no API key were refused in the last minute`);
      this.held = 0;
      this.rest();
    }, EVERY_MS).unref();
  }
}
