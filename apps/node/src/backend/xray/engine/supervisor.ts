import { messageOf } from '@rampart/program';
import { type Clock, SYSTEM_CLOCK, type Timer } from '../../../concurrency/clock.js';
import { type EngineFaults, endOf } from '../faults/engine-faults.js';
import type { EngineEnd } from '../faults/panic-trace.js';
import type { Exit } from '../process/engine-process.js';
import type { DesiredState } from './desired-state.js';
import type { Engine, RunningEngine } from './engine.js';
import { hasSameContent, LastGoodState } from './last-good-state.js';
import { jitteredPauseMs } from './pause.js';
import { RetryClock } from './retry-clock.js';

export interface SupervisorOptions {
  launch(state: DesiredState): Promise<Engine>;
  /**
   * Tries the desired state in place of another one that runs, and reports how that went: by `superviseTry`, `retryFailed`
   * or `postponeRetry`.
   */
  retryDesired(run: RunningEngine, desired: DesiredState): Promise<void>;
  /** Learns which known faults end engines, and leaves their features out. */
  readonly faults: Pick<EngineFaults, 'learn' | 'reduce'>;
  /** Runs a task while no other task changes the engine. */
  runExclusively(task: () => Promise<void>): Promise<void>;
  note(text: string): void;
  /** A message that needs an operator's attention. */
  warn(text: string): void;
  readonly clock?: Clock | undefined;
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 30_000;
/** After a run of at least this time the failure count starts from zero, and the state counts as good. */
/** A run of at least this time was none that failed. */
export const STABLE_MS = 30_000;
/** Number of quick failures in a row after which the other state (last good or desired) is tried. */
const MAX_FAST_FAILURES = 3;

/**
 * Keeps an engine running with the desired state: after an unexpected exit it is started again. When it keeps failing, the
 * last good state runs in its place, and the desired one is tried again at growing pauses.
 */
export class Supervisor {
  restarts = 0;
  lastExit = '';
  private wanted?: DesiredState;
  private watched?: RunningEngine;
  private failures = 0;
  /** Why the last restart failed. */
  private problem = '';
  private restart?: Timer | undefined;
  /** Whether the last good state had to run, and the desired one has not run for a while since. */
  private fellBack = false;
  /** What came of the last try of the desired state since then. */
  private lastTry = '';
  private proof?: Timer | undefined;
  private readonly clock: Clock;
  private readonly lastGood: LastGoodState;
  private readonly retry: RetryClock;

  constructor(private readonly options: SupervisorOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    const { clock } = this;
    this.lastGood = new LastGoodState(STABLE_MS, clock);
    this.retry = new RetryClock({ stableMs: STABLE_MS, clock, onDue: () => void this.retryDesired() });
  }

  get desired(): DesiredState | undefined {
    return this.wanted;
  }

  /** The engine that runs; its state differs from the desired one after that has kept failing. */
  get running(): RunningEngine | undefined {
    return this.watched;
  }

  /** Whether the engine kept failing with the desired state, and has not run with it for a while since. */
  get hasFallenBack(): boolean {
    return this.fellBack;
  }

  get warnings(): string[] {
    if (this.wanted === undefined) return [];
    if (this.watched === undefined) return [`the engine is down${this.problem === '' ? '' : `: ${this.problem}`}`];
    if (!this.fellBack) return [];
    if (this.watched.desired === this.wanted)
      return ['the engine kept failing: the requested configuration and users are tried again now'];
    return [
      `the engine kept failing: ${this.lastGood.describeState} are used instead of the requested ones, which are tried ` +
        `again at ${this.retry.nextTry?.toISOString()}${this.lastTry}`,
    ];
  }

  /** Makes the state of this engine the desired one, and watches the engine. */
  superviseNewState(run: RunningEngine): void {
    this.stopWatching();
    this.wanted = run.desired;
    this.trustDesired();
    this.watchEngine(run);
  }

  /** Watches an engine with the desired state, which is tried again: it has one failure left. */
  superviseTry(run: RunningEngine): void {
    this.stopWatching();
    this.retry.countTry();
    this.failures = MAX_FAST_FAILURES - 1;
    this.options.note('the requested configuration and users are tried again');
    this.watchEngine(run);
  }

  /** The desired state could not be tried again now. */
  postponeRetry(why: string): void {
    this.lastTry = `; they could not be tried before: ${why}`;
    this.retry.postpone();
  }

  /** An engine with the desired state has not come up, or has not taken over. */
  retryFailed(error: unknown): void {
    this.retry.countTry();
    if (this.wanted !== undefined) this.learnFault(endOf(error), this.wanted);
    this.recordFailedTry(messageOf(error));
    if (this.watched !== undefined) this.retry.start();
  }

  /** Tries the desired state as soon as that is not too often, if another one runs. */
  hastenRetry(): void {
    if (this.watched !== undefined && this.watched.desired !== this.wanted) this.retry.hasten();
  }

  /** Changes of users may have made another state that runs the desired one. */
  recognizeDesired(): void {
    const { watched, wanted } = this;
    if (!watched || !wanted || watched.desired === wanted || !hasSameContent(watched.desired, wanted)) return;
    this.stopWatching();
    this.watchEngine({ engine: watched.engine, desired: wanted });
  }

  /** Watches another engine with the current state. */
  superviseNewEngine(run: RunningEngine): void {
    this.stopWatching();
    this.watchEngine(run);
  }

  /** Stops restarting the engine after its exit, and returns it. */
  stopWatching(): Engine | undefined {
    const engine = this.watched?.engine;
    this.restart?.stop();
    this.proof?.stop();
    this.retry.stop();
    this.lastGood.stopWatching();
    this.watched = undefined;
    return engine;
  }

  /**
   * Starts an engine with the desired state when none runs. Returns whether it came up; otherwise it is retried later.
   */
  async relaunch(): Promise<boolean> {
    if (this.wanted === undefined) return false;
    this.wanted = this.withoutFaults(this.wanted);
    const state = this.withoutFaults(await this.chooseState(this.wanted));
    try {
      const engine = await this.options.launch(state);
      this.watchEngine({ engine, desired: state });
      return true;
    } catch (error) {
      this.problem = messageOf(error);
      this.options.warn(this.problem);
      this.learnFault(endOf(error), state);
      this.schedule();
      return false;
    }
  }

  /**
   * Starts an engine that has ended at once, with other users in the desired state. The failures so far count on: whoever
   * sees that the engine is down sends what it should run again. START_FAILED when it does not come up; it is retried later
   * then, with these users all the same, since some may have been removed.
   */
  async restartWith(desired: DesiredState): Promise<void> {
    this.stopWatching();
    this.wanted = this.withoutFaults(desired);
    const state = this.withoutFaults(await this.chooseState(this.wanted));
    try {
      this.watchEngine({ engine: await this.options.launch(state), desired: state });
      this.restarts += 1;
    } catch (error) {
      this.problem = messageOf(error);
      this.learnFault(endOf(error), state);
      this.schedule();
      throw error;
    }
  }

  /** Forgets the desired state: no engine should run. */
  clearDesiredState(): void {
    this.stopWatching();
    this.wanted = undefined;
    this.trustDesired();
  }

  private watchEngine(run: RunningEngine): void {
    const began = this.clock.monotonicNow();
    this.watched = run;
    this.problem = '';
    if (run.desired === this.wanted) {
      this.lastGood.startWatching(run.desired);
      if (this.fellBack) this.proof = this.clock.setTimer(STABLE_MS, () => this.proveDesired());
    } else {
      this.fellBack = true;
      this.lastGood.startWatchingFallback(run.desired);
      this.retry.start();
    }
    void run.engine.exited.then((exit) => this.onExit(run, exit, this.clock.monotonicNow() - began));
  }

  /** Handles exits that the node has not requested. */
  private async onExit(run: RunningEngine, exit: Exit, livedMs: number): Promise<void> {
    if (this.watched !== run) return;
    this.stopWatching();
    const how = run.engine.describeEnd(exit);
    this.lastExit = `${how} at ${new Date(this.clock.now()).toISOString()}`;
    this.options.warn(`the engine (${run.engine.place}) ${how}`);
    if (this.fellBack && run.desired === this.wanted) this.recordFailedTry(`the engine ${how}`);
    if (livedMs >= STABLE_MS) this.failures = 0;
    this.learnFault(run.engine.endOf(exit), run.desired);
    this.schedule();
    await run.engine.cleanUp();
  }

  private recordFailedTry(problem: string): void {
    this.lastTry = `; when they were last tried: ${problem}`;
    this.options.warn(`the requested configuration and users were tried again: ${problem}`);
  }

  private async retryDesired(): Promise<void> {
    const { watched: run } = this;
    await this.options.runExclusively(async () => {
      // A Start, a Stop or the end of the engine may have come first.
      if (run === undefined || this.watched !== run || this.wanted === undefined || run.desired === this.wanted) return;
      this.wanted = this.withoutFaults(this.wanted);
      await this.options.retryDesired(run, this.wanted);
    });
  }

  private proveDesired(): void {
    this.trustDesired();
    this.options.note('the requested configuration and users run again');
  }

  private trustDesired(): void {
    this.failures = 0;
    this.fellBack = false;
    this.lastTry = '';
    this.retry.reset();
  }

  /** The next engine starts at once where it runs without what has ended this one. */
  private learnFault(end: EngineEnd | undefined, { plan }: DesiredState): void {
    if (end !== undefined && this.options.faults.learn(end, plan)) this.failures = 0;
  }

  private withoutFaults(state: DesiredState): DesiredState {
    const plan = this.options.faults.reduce(state.plan);
    return plan === state.plan ? state : { ...state, plan };
  }

  private schedule(): void {
    const { wanted } = this;
    const delay = backoffMs(this.failures, Math.random());
    this.failures += 1;
    this.options.note(`the engine starts again in ${(delay / 1000).toFixed(1)} s`);
    this.restart?.stop();
    this.restart = this.clock.setTimer(delay, () => {
      void this.options.runExclusively(async () => {
        // A Start or a Stop may have come first.
        if (wanted !== this.wanted || this.watched !== undefined) return;
        if (await this.relaunch()) this.restarts += 1;
      });
    });
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
export const backoffMs = (failures: number, random: number): number =>
  failures === 0 ? 0 : jitteredPauseMs(failures - 1, FIRST_BACKOFF_MS, MAX_BACKOFF_MS, random);
