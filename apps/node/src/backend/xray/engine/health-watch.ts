import { MAX_BUSY_MS } from '../api/patience.js';

const TICK_MS = 250;
const PROBE_INTERVAL_MS = 750;
const HUNG_AFTER_MS = 3000;
/** Deadline of a probe: a late answer of a busy engine still shows that it is alive. */
const PROBE_DEADLINE_MS = MAX_BUSY_MS + HUNG_AFTER_MS;
/** Share of one processor that an engine at work uses at least: one that stands still uses a hundredth of that. */
const LEAST_BUSY_SHARE = 0.05;

export interface WatchedEngine {
  /** Sends a request; fails when there is no answer within the deadline. */
  probe(deadlineMs: number): Promise<void>;
  /** Number of answered calls of any kind: an engine that answers one is alive. */
  readonly answers: number;
  /** The time for which it has used processors so far; undefined when it cannot be seen. */
  readonly processorMs: number | undefined;
}

export interface HealthEvents {
  /** It does not answer, but works: it is not ended for a while. */
  busy(): void;
  hung(): void;
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
  /** When the silence was looked at last, and what the engine had used of processors by then. */
  private judged: { readonly silentMs: number; readonly processorMs: number | undefined } | undefined;
  private silentSince: Date | undefined;

  constructor(
    private readonly engine: WatchedEngine,
    private readonly events: HealthEvents,
  ) {
    this.seenAnswers = engine.answers;
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** Whether it stands still, and an answer is overdue for longer than it ever took. */
  get isUnresponsive(): boolean {
    return this.silentMs >= HUNG_AFTER_MS / 2 && this.silentSince === undefined && !this.hasWorked;
  }

  /** Since when an engine that works has not answered; undefined when it answers. */
  get busySince(): Date | undefined {
    return this.silentSince;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    if (this.engine.answers !== this.seenAnswers) this.recordAnswer();
    else if (this.awaitingAnswer) this.countSilence();
    if (this.isHung()) {
      this.stop();
      this.events.hung();
      return;
    }
    this.sinceProbeMs += TICK_MS;
    if (!this.probing && (this.awaitingAnswer || this.sinceProbeMs >= PROBE_INTERVAL_MS)) void this.sendProbe();
  }

  private countSilence(): void {
    this.judged ??= this.judgement();
    this.silentMs += TICK_MS;
  }

  /** Whether it has stood still for a while, or was busy for too long. */
  private isHung(): boolean {
    if (this.judged === undefined || this.silentMs - this.judged.silentMs < HUNG_AFTER_MS) return false;
    if (!this.hasWorked || this.silentMs >= MAX_BUSY_MS) return true;
    this.judged = this.judgement();
    if (this.silentSince === undefined) {
      this.silentSince = new Date(Date.now() - this.silentMs);
      this.events.busy();
    }
    return false;
  }

  private judgement() {
    return { silentMs: this.silentMs, processorMs: this.engine.processorMs };
  }

  /** Whether it has used processors since its silence was looked at last. */
  private get hasWorked(): boolean {
    const { silentMs = 0, processorMs } = this.judged ?? {};
    const now = this.engine.processorMs;
    if (now === undefined || processorMs === undefined) return false;
    return now - processorMs >= (this.silentMs - silentMs) * LEAST_BUSY_SHARE;
  }

  private recordAnswer(): void {
    this.seenAnswers = this.engine.answers;
    this.silentMs = 0;
    this.judged = undefined;
    this.silentSince = undefined;
    // An answer to another call does not answer the probe.
    this.awaitingAnswer = this.probing;
  }

  private async sendProbe(): Promise<void> {
    this.awaitingAnswer = true;
    this.probing = true;
    this.sinceProbeMs = 0;
    const answered = await this.engine.probe(PROBE_DEADLINE_MS).then(
      () => true,
      () => false,
    );
    this.probing = false;
    if (answered) this.recordAnswer();
  }
}
