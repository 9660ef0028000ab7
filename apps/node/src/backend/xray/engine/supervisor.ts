import { performance } from 'node:perf_hooks';
import { messageOf } from '@rampart/program';
import type { Exit } from '../process/engine-process.js';
import type { DesiredState } from './desired-state.js';
import type { Engine, RunningEngine } from './engine.js';
import { LastGoodState } from './last-good-state.js';

export interface SupervisorOptions {
  launch(state: DesiredState): Promise<Engine>;
  /** Runs a task while no other task changes the engine. */
  runExclusively(task: () => Promise<void>): Promise<void>;
  note(text: string): void;
  /** A message that needs an operator's attention. */
  warn(text: string): void;
  /** After a run of at least this time the failure count starts from zero. */
  readonly stableMs?: number;
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 30_000;
const STABLE_MS = 30_000;
/** Number of quick failures in a row after which the other state (last good or desired) is tried. */
const MAX_FAST_FAILURES = 3;

/** Keeps an engine running with the desired state: after an unexpected exit it is started again. */
export class Supervisor {
  restarts = 0;
  lastExit = '';
  private wanted?: DesiredState;
  private watched?: RunningEngine;
  private failures = 0;
  /** Why the last restart failed. */
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

  /** The engine that runs; its state differs from the desired one after that has kept failing. */
  get running(): RunningEngine | undefined {
    return this.watched;
  }

  get warnings(): string[] {
    if (this.wanted === undefined) return [];
    if (this.watched === undefined) return [`the engine is down${this.problem === '' ? '' : `: ${this.problem}`}`];
    if (this.watched.desired === this.wanted) return [];
    return [`the engine kept failing: ${this.lastGood.describeState} are used instead of the requested ones`];
  }

  /** Makes the state of this engine the desired one, and watches the engine. */
  superviseNewState(run: RunningEngine): void {
    this.stopWatching();
    this.wanted = run.desired;
    this.failures = 0;
    this.watchEngine(run);
  }

  /** Watches another engine with the current state. */
  superviseNewEngine(run: RunningEngine): void {
    this.stopWatching();
    this.watchEngine(run);
  }

  /** Stops restarting the engine after its exit, and returns it. */
  stopWatching(): Engine | undefined {
    const engine = this.watched?.engine;
    clearTimeout(this.retry);
    this.lastGood.stopWatching();
    this.watched = undefined;
    return engine;
  }

  /**
   * Starts an engine with the desired state when none runs. Returns whether it came up; otherwise it is retried later.
   */
  async relaunch(): Promise<boolean> {
    if (this.wanted === undefined) return false;
    const state = await this.chooseState(this.wanted);
    try {
      const engine = await this.options.launch(state);
      this.watchEngine({ engine, desired: state });
      return true;
    } catch (error) {
      this.problem = messageOf(error);
      this.options.warn(this.problem);
      this.schedule();
      return false;
    }
  }

  /** Forgets the desired state: no engine should run. */
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

  /** Handles exits that the node has not requested. */
  private async onExit(run: RunningEngine, exit: Exit, livedMs: number): Promise<void> {
    if (this.watched !== run) return;
    this.stopWatching();
    const how = run.engine.describeEnd(exit);
    this.lastExit = `${how} at ${new Date().toISOString()}`;
    this.options.warn(`the engine (${run.engine.place}) ${how}`);
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
        // A Start or a Stop may have come first.
        if (wanted !== this.wanted || this.watched !== undefined) return;
        if (await this.relaunch()) this.restarts += 1;
      });
    }, delay);
  }

  /** Alternates between the desired state and the last good one after repeated failures. */
  private async chooseState(wanted: DesiredState): Promise<DesiredState> {
    if (Math.floor(this.failures / MAX_FAST_FAILURES) % 2 === 0) return wanted;
    const good = await this.lastGood.fallbackFor(wanted);
    if (good === undefined) return wanted;
    this.options.warn(
      `the engine failed ${this.failures} times in a row: ${this.lastGood.describeState} are used instead`,
    );
    return good;
  }
}

/** Delay before the next attempt: 0 after the first failure, then doubling up to 30 s, with random jitter of 50 %. */
export function backoffMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1)) * (0.5 + random / 2);
}
