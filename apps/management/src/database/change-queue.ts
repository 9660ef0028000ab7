import { databaseBusy, tooManyWaiting } from '../errors/database-busy.js';

/** Where changes come from: an admin, logins, or background work. */
export interface ChangeSource {
  readonly name: string;
  /** Maximum number of its changes that run at once. */
  readonly maxRunning: number;
  /** Whether its changes may be refused, because a caller is told so. */
  readonly isRefusable: boolean;
}

interface Waiting {
  readonly since: number;
  enter(): void;
  refuse(error: Error): void;
}

interface SourceState {
  readonly source: ChangeSource;
  readonly waiting: Waiting[];
  running: number;
  /** When one of its changes last started, as a growing number. */
  turn: number;
}

/** Maximum wait in milliseconds. After that the caller has gone away, or does better to try again. */
const MAX_WAIT_MS = 30_000;

/**
 * Queues changes before they take a database connection. Sources take turns, so that a source with many changes delays
 * only itself. When too many changes wait, the newest one of the source with the most waiting changes is refused.
 */
export class ChangeQueue {
  private readonly sources = new Map<string, SourceState>();
  private running = 0;
  private turns = 0;

  /** @param limits how many changes run at once, and how many refusable changes may wait */
  constructor(private readonly limits: { readonly running: number; readonly waiting: number }) {}

  /** How many changes run, and how many wait. */
  get figures(): { readonly running: number; readonly waiting: number } {
    const waiting = [...this.sources.values()].reduce((sum, source) => sum + source.waiting.length, 0);
    return { running: this.running, waiting };
  }

  async run<T>(source: ChangeSource, change: () => Promise<T>): Promise<T> {
    const state = await this.waitForTurn(source);
    try {
      return await change();
    } finally {
      this.running -= 1;
      state.running -= 1;
      this.startNext();
      this.removeIfIdle(state);
    }
  }

  /** Refuses all waiting changes that may be refused. */
  refuseAll(): void {
    for (const state of [...this.sources.values()]) {
      if (state.source.isRefusable) for (const { refuse } of state.waiting.splice(0)) refuse(databaseBusy());
      this.removeIfIdle(state);
    }
  }

  private waitForTurn(source: ChangeSource): Promise<SourceState> {
    const state = this.sources.get(source.name) ?? { source, waiting: [], running: 0, turn: 0 };
    this.sources.set(source.name, state);
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
        ({ source, waiting, running }) => waiting.length > 0 && running < source.maxRunning,
      );
      const [first] = ready;
      if (!first) return;
      const state = ready.reduce((one, other) => (other.turn < one.turn ? other : one), first);
      const next = state.waiting.shift();
      if (state.source.isRefusable && next && performance.now() - next.since > MAX_WAIT_MS) {
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
    const refusable = [...this.sources.values()].filter(({ source }) => source.isRefusable);
    const waiting = refusable.reduce((sum, state) => sum + state.waiting.length, 0);
    if (waiting <= this.limits.waiting) return;
    const longest = refusable.reduce((one, other) => (other.waiting.length > one.waiting.length ? other : one));
    longest.waiting.pop()?.refuse(tooManyWaiting());
    this.removeIfIdle(longest);
  }

  private removeIfIdle({ source: { name }, waiting, running }: SourceState): void {
    if (waiting.length === 0 && running === 0) this.sources.delete(name);
  }
}
