const TICK_MS = 250;
const PROBE_EVERY_MS = 750;
const HUNG_AFTER_MS = 3000;
/** Longer than it may take: an answer that is slow is one. */
const PROBE_DEADLINE_MS = 2 * HUNG_AFTER_MS;

export interface Watched {
  /** Asks; fails when there is no answer within the deadline. */
  probe(deadlineMs: number): Promise<void>;
  /** How many calls of any kind it has answered so far: whoever answers one is alive. */
  readonly answers: number;
}

/**
 * Notices that an engine does not answer any more. Silence is counted in our own ticks, not by the clock: while the node
 * itself stood still nobody could answer it, so a tick that comes late counts no more than one that comes in time.
 */
export class HealthWatch {
  private readonly timer: NodeJS.Timeout;
  private silentMs = 0;
  private sinceProbeMs = 0;
  /** Whether an answer is awaited. */
  private asked = false;
  private probing = false;
  private seen: number;

  constructor(
    private readonly watched: Watched,
    private readonly onHung: () => void,
  ) {
    this.seen = watched.answers;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** Whether it owes an answer for longer than an engine at work ever took. */
  get silent(): boolean {
    return this.silentMs >= HUNG_AFTER_MS / 2;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    if (this.watched.answers !== this.seen) this.heard();
    else if (this.asked) this.silentMs += TICK_MS;
    if (this.silentMs >= HUNG_AFTER_MS) {
      this.stop();
      this.onHung();
      return;
    }
    this.sinceProbeMs += TICK_MS;
    if (!this.probing && (this.asked || this.sinceProbeMs >= PROBE_EVERY_MS)) void this.ask();
  }

  private heard(): void {
    this.seen = this.watched.answers;
    this.silentMs = 0;
    this.asked = false;
  }

  private async ask(): Promise<void> {
    this.asked = true;
    this.probing = true;
    this.sinceProbeMs = 0;
    await this.watched.probe(PROBE_DEADLINE_MS).then(
      () => this.heard(),
      () => undefined,
    );
    this.probing = false;
  }
}
