const TICK_MS = 250;
const PROBE_INTERVAL_MS = 750;
const HUNG_AFTER_MS = 3000;
/** Deadline of a probe; longer than HUNG_AFTER_MS, since a late answer still shows that the engine is alive. */
const PROBE_DEADLINE_MS = 2 * HUNG_AFTER_MS;

export interface WatchedEngine {
  /** Sends a request; fails when there is no answer within the deadline. */
  probe(deadlineMs: number): Promise<void>;
  /** Number of answered calls of any kind: an engine that answers one is alive. */
  readonly answers: number;
}

/**
 * Detects an engine that does not answer any more. Silence is counted in ticks of the node and not by the clock: while
 * the node itself is suspended it cannot hear an answer, so a late tick counts no more than a punctual one.
 */
export class HealthWatch {
  private readonly timer: NodeJS.Timeout;
  private silentMs = 0;
  private sinceProbeMs = 0;
  /** Whether a probe has been sent that is not answered yet. */
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

  /** Whether an answer is overdue for longer than a busy engine ever took. */
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
