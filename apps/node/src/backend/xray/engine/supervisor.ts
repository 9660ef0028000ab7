import { performance } from 'node:perf_hooks';
import { backoffMs } from '../process/backoff.js';
import type { Exit } from '../process/engine-process.js';
import type { DesiredState } from './desired-state.js';
import type { Engine, RunningEngine } from './engine.js';
import { LastGoodState } from './last-good-state.js';

export interface SupervisorOptions {
  launch(state: DesiredState): Promise<Engine>;
  /** Carries out what must not happen while somebody else changes the engine. */
  runExclusively(task: () => Promise<void>): Promise<void>;
  note(text: string): void;
  /** After so long a run an end counts as the first one again. */
  readonly stableMs?: number;
}

const STABLE_MS = 30_000;
/** Ends in a row, each soon after its start, after which another state is tried. */
const MAX_FAST_FAILURES = 3;

/** Keeps an engine running with what is wanted: an end that nobody asked for is followed by a start. */
export class Supervisor {
  restarts = 0;
  lastExit = '';
  private wanted?: DesiredState;
  private watched?: RunningEngine;
  private failures = 0;
  /** Why it did not come up again. */
  private problem = '';
  private retry?: NodeJS.Timeout;
  private readonly stableMs: number;
  private readonly lastGood: LastGoodState;

  constructor(private readonly options: SupervisorOptions) {
    this.stableMs = options.stableMs ?? STABLE_MS;
    this.lastGood = new LastGoodState(this.stableMs);
  }

  get desired(): DesiredState | undefined {
    return this.wanted;
  }

  /** What runs at this moment; its state is another one than the wanted when that kept failing. */
  get running(): RunningEngine | undefined {
    return this.watched;
  }

  get warnings(): string[] {
    if (this.wanted === undefined) return [];
    if (this.watched === undefined) return [`the engine is down${this.problem === '' ? '' : `: ${this.problem}`}`];
    if (this.watched.desired === this.wanted) return [];
    return [`the engine kept failing: ${this.lastGood.describeState} are in place of what was asked for`];
  }

  /** From now on this is wanted, and there is an engine that runs it. */
  superviseNewState(run: RunningEngine): void {
    this.stopWatching();
    this.wanted = run.desired;
    this.failures = 0;
    this.watchEngine(run);
  }

  /** Another engine for what runs already. */
  superviseNewEngine(run: RunningEngine): void {
    this.stopWatching();
    this.watchEngine(run);
  }

  /** Nobody looks after it any more. */
  stopWatching(): Engine | undefined {
    const engine = this.watched?.engine;
    clearTimeout(this.retry);
    this.lastGood.stopWatching();
    this.watched = undefined;
    return engine;
  }

  /** Runs what is wanted again, now that nothing runs. Answers whether it came up; if not, it is tried again later. */
  async relaunch(): Promise<boolean> {
    if (this.wanted === undefined) return false;
    const state = await this.chooseState(this.wanted);
    try {
      const engine = await this.options.launch(state);
      this.watchEngine({ engine, desired: state });
      return true;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.options.note(this.problem);
      this.schedule();
      return false;
    }
  }

  /** Nothing is wanted any more. */
  clearDesiredState(): void {
    this.stopWatching();
    this.wanted = undefined;
    this.failures = 0;
  }

  private watchEngine(run: RunningEngine): void {
    const began = performance.now();
    this.watched = run;
    this.problem = '';
    this.lastGood.startWatching(run.desired);
    void run.engine.exited.then((exit) => this.onExit(run, exit, performance.now() - began));
  }

  /** Only for an end that nobody asked for. */
  private async onExit(run: RunningEngine, exit: Exit, livedMs: number): Promise<void> {
    if (this.watched !== run) return;
    this.stopWatching();
    const how = run.engine.describeEnd(exit);
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
      void this.options.runExclusively(async () => {
        // Unless a Start or a Stop came first.
        if (wanted !== this.wanted || this.watched !== undefined) return;
        if (await this.relaunch()) this.restarts += 1;
      });
    }, delay);
  }

  /** After some failures the last good state has its turn, then again what is wanted. */
  private async chooseState(wanted: DesiredState): Promise<DesiredState> {
    if (Math.floor(this.failures / MAX_FAST_FAILURES) % 2 === 0) return wanted;
    const good = await this.lastGood.fallbackFor(wanted);
    if (good === undefined) return wanted;
    this.options.note(
      `the engine failed ${this.failures} times in a row: ${this.lastGood.describeState} take the place`,
    );
    return good;
  }
}
