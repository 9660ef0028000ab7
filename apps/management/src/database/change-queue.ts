import { databaseBusy, tooManyWaiting } from '../errors/database-busy.js';

/** Whose change it is. */
export interface ChangeSource {
  readonly name: string;
  /** So many of them are made at once. */
  readonly maxRunning: number;
  /** Whether a change may be refused: it may where somebody can be told. */
  readonly isRefusable: boolean;
}

interface Waiting {
  readonly since: number;
  enter(): void;
  refuse(error: Error): void;
}

interface SourceState {
  readonly lane: ChangeSource;
  readonly waiting: Waiting[];
  running: number;
  /** When it last had its turn, as a number that grows. */
  turn: number;
}

/** Whoever waits for longer has gone away, or is better told to try again. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Changes wait here, before they take a connection. The lanes take turns, so that who sends many waits for itself. When too
 * many wait, the last one of the longest lane is refused, so that who sends many is refused first.
 */
export class ChangeQueue {
  private readonly sources = new Map<string, SourceState>();
  private running = 0;
  private turns = 0;

  /** @param limits how many changes are made at once, and how many of those that may be refused may wait */
  constructor(private readonly limits: { readonly running: number; readonly waiting: number }) {}

  async run<T>(lane: ChangeSource, change: () => Promise<T>): Promise<T> {
    const state = await this.waitForTurn(lane);
    try {
      return await change();
    } finally {
      this.running -= 1;
      state.running -= 1;
      this.startNext();
      this.removeIfIdle(state);
    }
  }

  /** Whoever waits and can be told need not wait any more. */
  refuseAll(): void {
    for (const state of [...this.sources.values()]) {
      if (state.lane.isRefusable) for (const { refuse } of state.waiting.splice(0)) refuse(databaseBusy());
      this.removeIfIdle(state);
    }
  }

  private waitForTurn(lane: ChangeSource): Promise<SourceState> {
    const state = this.sources.get(lane.name) ?? { lane, waiting: [], running: 0, turn: 0 };
    this.sources.set(lane.name, state);
    return new Promise((resolve, reject) => {
      const enter = () => {
        this.running += 1;
        state.running += 1;
        resolve(state);
      };
      state.waiting.push({ since: performance.now(), enter, refuse: reject });
      this.startNext();
      this.refuseExcess();
    });
  }

  private startNext(): void {
    while (this.running < this.limits.running) {
      const ready = [...this.sources.values()].filter(
        ({ lane, waiting, running }) => waiting.length > 0 && running < lane.maxRunning,
      );
      const [first] = ready;
      if (!first) return;
      const state = ready.reduce((one, other) => (other.turn < one.turn ? other : one), first);
      const next = state.waiting.shift();
      if (state.lane.isRefusable && next && performance.now() - next.since > LONGEST_WAIT_MS) {
        next.refuse(tooManyWaiting());
        this.removeIfIdle(state);
        continue;
      }
      this.turns += 1;
      state.turn = this.turns;
      next?.enter();
    }
  }

  private refuseExcess(): void {
    const refusable = [...this.sources.values()].filter(({ lane }) => lane.isRefusable);
    const waiting = refusable.reduce((sum, lane) => sum + lane.waiting.length, 0);
    if (waiting <= this.limits.waiting) return;
    const longest = refusable.reduce((one, other) => (other.waiting.length > one.waiting.length ? other : one));
    longest.waiting.pop()?.refuse(tooManyWaiting());
    this.removeIfIdle(longest);
  }

  private removeIfIdle({ lane: { name }, waiting, running }: SourceState): void {
    if (waiting.length === 0 && running === 0) this.sources.delete(name);
  }
}
