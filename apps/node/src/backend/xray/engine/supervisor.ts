import { performance } from 'node:perf_hooks';
import { backoffMs } from '../process/backoff.js';
import type { Exit } from '../process/engine-process.js';
import type { Run, Target } from './desired-state.js';
import type { Engine } from './engine.js';
import { LastGood } from './last-good-state.js';

export interface SupervisorOptions {
  launch(target: Target): Promise<Engine>;
  /** Carries out what must not happen while somebody else changes the engine. */
  exclusively(task: () => Promise<void>): Promise<void>;
  note(text: string): void;
  /** After so long a run an end counts as the first one again. */
  readonly stableMs?: number;
}

const STABLE_MS = 30_000;
/** Ends in a row, each soon after its start, after which another state is tried. */
const FAST_FAILURES = 3;

/** Keeps an engine running with what is wanted: an end that nobody asked for is followed by a start. */
export class Supervisor {
  restarts = 0;
  lastExit = '';
  private wanted?: Target;
  private current?: Run;
  private failures = 0;
  /** Why it did not come up again. */
  private problem = '';
  private retry?: NodeJS.Timeout;
  private readonly stableMs: number;
  private readonly lastGood: LastGood;

  constructor(private readonly options: SupervisorOptions) {
    this.stableMs = options.stableMs ?? STABLE_MS;
    this.lastGood = new LastGood(this.stableMs);
  }

  get target(): Target | undefined {
    return this.wanted;
  }

  /** What runs at this moment; its target is another one than the wanted when that kept failing. */
  get run(): Run | undefined {
    return this.current;
  }

  get warnings(): string[] {
    if (this.wanted === undefined) return [];
    if (this.current === undefined) return [`the engine is down${this.problem === '' ? '' : `: ${this.problem}`}`];
    if (this.current.target === this.wanted) return [];
    return [`the engine kept failing: ${this.lastGood.name} are in place of what was asked for`];
  }

  /** From now on this is wanted, and there is an engine that runs it. */
  keep(run: Run): void {
    this.release();
    this.wanted = run.target;
    this.failures = 0;
    this.watch(run);
  }

  /** Another engine for what runs already. */
  renew(run: Run): void {
    this.release();
    this.watch(run);
  }

  /** Nobody looks after it any more. */
  release(): Engine | undefined {
    const engine = this.current?.engine;
    clearTimeout(this.retry);
    this.lastGood.halt();
    this.current = undefined;
    return engine;
  }

  /** Runs what is wanted again, now that nothing runs. Answers whether it came up; if not, it is tried again later. */
  async relaunch(): Promise<boolean> {
    if (this.wanted === undefined) return false;
    const target = await this.choose(this.wanted);
    try {
      const engine = await this.options.launch(target);
      this.watch({ engine, target });
      return true;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.options.note(this.problem);
      this.schedule();
      return false;
    }
  }

  /** Nothing is wanted any more. */
  forget(): void {
    this.release();
    this.wanted = undefined;
    this.failures = 0;
  }

  private watch(run: Run): void {
    const began = performance.now();
    this.current = run;
    this.problem = '';
    this.lastGood.watch(run.target);
    void run.engine.exited.then((exit) => this.onExit(run, exit, performance.now() - began));
  }

  /** Only for an end that nobody asked for. */
  private async onExit(run: Run, exit: Exit, livedMs: number): Promise<void> {
    if (this.current !== run) return;
    this.release();
    const how = run.engine.endText(exit);
    this.lastExit = `${how} at ${new Date().toISOString()}`;
    this.options.note(`the engine (process ${run.engine.pid}) ${how}`);
    if (livedMs >= this.stableMs) this.failures = 0;
    this.schedule();
    await run.engine.cleanUp();
  }

  private schedule(): void {
    const { wanted } = this;
    const delay = backoffMs(this.failures, Math.random());
    this.failures += 1;
    this.options.note(`the engine starts again in ${(delay / 1000).toFixed(1)} s`);
    this.retry = setTimeout(() => {
      void this.options.exclusively(async () => {
        // Unless a Start or a Stop came first.
        if (wanted !== this.wanted || this.current !== undefined) return;
        if (await this.relaunch()) this.restarts += 1;
      });
    }, delay);
  }

  /** After some failures the last good state has its turn, then again what is wanted. */
  private async choose(wanted: Target): Promise<Target> {
    if (Math.floor(this.failures / FAST_FAILURES) % 2 === 0) return wanted;
    const good = await this.lastGood.insteadOf(wanted);
    if (good === undefined) return wanted;
    this.options.note(`the engine failed ${this.failures} times in a row: ${this.lastGood.name} take the place`);
    return good;
  }
}
