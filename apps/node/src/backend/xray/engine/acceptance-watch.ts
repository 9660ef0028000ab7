import type { OpenFiles } from '../process/open-files.js';

const PAUSE_MS = 1000;
/** The pause while a failure may be one of several in a row. */
const SHORT_PAUSE_MS = 50;
const DEADLINE_MS = 1000;
/** Results in a row that show that it takes no new connections, or does again: files come free one by one. */
const FAILURES = 3;
const SUCCESSES = 5;
/** A system that does not tell the number of files makes a list of all of them. */
const FILES_EVERY_MS = 15_000;
/** The share of its files at which operators hear of it. */
const NEARLY_ALL = 0.9;

export interface AcceptingEngine {
  /** Opens a connection and waits for an answer; fails when there is none within the deadline. */
  knock(deadlineMs: number): Promise<void>;
  openFiles(): Promise<OpenFiles | undefined>;
  /** Number of answered calls over connections that are open: an engine that answers one is alive. */
  readonly answers: number;
}

/**
 * Sees that an engine takes no new connections although it is alive, as one does that has all of its files open. It is not
 * ended for that: connections that are open go on.
 */
export class AcceptanceWatch {
  private accepting = true;
  private seen: OpenFiles | undefined;
  /** Results in a row that contradict `accepting`. */
  private contrary = 0;
  private sinceFilesMs = Number.POSITIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private told: string | undefined;

  /** @param onChange is called when there is another problem, or none any more */
  constructor(
    private readonly engine: AcceptingEngine,
    private readonly onChange: (problem: string | undefined) => void,
  ) {
    this.schedule();
  }

  /** Whether it takes new connections. */
  get isAccepting(): boolean {
    return this.accepting;
  }

  /** Its files when they were last counted. */
  get files(): OpenFiles | undefined {
    return this.seen;
  }

  /** What is wrong, in words for operators. It has no number that changes: every other text is a change of the node. */
  get problem(): string | undefined {
    const { seen, accepting } = this;
    const share = seen === undefined ? 0 : seen.open / seen.limit;
    const isShort = share > NEARLY_ALL;
    if (!accepting && !isShort)
      return 'the engine takes no new connections, although it answers over those that are open';
    if (!isShort) return undefined;
    const problem = accepting
      ? `the engine has over 90 % of its ${seen?.limit} files open, and takes no new connections without a free one`
      : `the engine takes no new connections: all of its ${seen?.limit} files are open`;
    return `${problem}; users who open thousands of connections or sessions at a time can be the cause, or RAMPART_NODE_ENGINE_FILES allows more`;
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.stopped) return;
    const pause = this.accepting && this.contrary > 0 ? SHORT_PAUSE_MS : PAUSE_MS;
    this.timer = setTimeout(() => void this.look().then(() => this.schedule()), pause).unref();
  }

  private async look(): Promise<void> {
    const { answers } = this.engine;
    const isAnswered = await this.engine.knock(DEADLINE_MS).then(
      () => true,
      () => false,
    );
    // An engine that answers nothing at all is a matter of the other watch.
    if (isAnswered || this.engine.answers !== answers) this.count(isAnswered);
    this.sinceFilesMs += PAUSE_MS;
    if (!isAnswered || !this.accepting || this.sinceFilesMs >= FILES_EVERY_MS) {
      this.seen = await this.engine.openFiles().catch(() => undefined);
      this.sinceFilesMs = 0;
    }
    const { problem } = this;
    if (this.stopped || problem === this.told) return;
    this.told = problem;
    this.onChange(problem);
  }

  private count(isAnswered: boolean): void {
    this.contrary = isAnswered === this.accepting ? 0 : this.contrary + 1;
    if (this.contrary < (this.accepting ? FAILURES : SUCCESSES)) return;
    this.accepting = isAnswered;
    this.contrary = 0;
  }
}
