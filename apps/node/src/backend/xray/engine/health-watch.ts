const TICK_MS = 250;
const PROBE_INTERVAL_MS = 750;
const HUNG_AFTER_MS = 3000;
/** Longer than it may take: an answer that is slow is one. */
const PROBE_DEADLINE_MS = 2 * HUNG_AFTER_MS;

export interface WatchedEngine {
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
  private awaitingAnswer = false;
  private probing = false;
  private seenAnswers: number;

  constructor(
    private readonly engine: WatchedEngine,
    private readonly onHung: () => void,
  ) {
    this.seenAnswers = engine.answers;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** Whether it owes an answer for longer than an engine at work ever took. */
  get isUnresponsive(): boolean {
    return this.silentMs >= HUNG_AFTER_MS / 2;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    if (this.engine.answers !== this.seenAnswers) this.recordAnswer();
    else if (this.awaitingAnswer) this.silentMs += TICK_MS;
    if (this.silentMs >= HUNG_AFTER_MS) {
      this.stop();
      this.onHung();
      return;
    }
    this.sinceProbeMs += TICK_MS;
    if (!this.probing && (this.awaitingAnswer || this.sinceProbeMs >= PROBE_INTERVAL_MS)) void this.sendProbe();
  }

  private recordAnswer(): void {
    this.seenAnswers = this.engine.answers;
    this.silentMs = 0;
    this.awaitingAnswer = false;
  }

  private async sendProbe(): Promise<void> {
    this.awaitingAnswer = true;
    this.probing = true;
    this.sinceProbeMs = 0;
    await this.engine.probe(PROBE_DEADLINE_MS).then(
      () => this.recordAnswer(),
      () => undefined,
    );
    this.probing = false;
  }
}
