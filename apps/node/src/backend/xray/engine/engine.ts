import { access } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { raceAbort } from '../../../concurrency/race-abort.js';
import { SerialQueue } from '../../../concurrency/serial-queue.js';
import { NodeError } from '../../../errors/node-error.js';
import type { TrafficReading } from '../../backend.js';
import type { CountedBefore } from '../api/counter-differences.js';
import { EngineApi } from '../api/engine-api.js';
import { EngineNotAnswering } from '../api/engine-call.js';
import { MAX_BUSY_MS } from '../api/patience.js';
import type { ApiChannel } from '../config/plan/render-config.js';
import type { EngineEnd } from '../faults/panic-trace.js';
import type { InboundTemplates } from '../messages/inbound-template.js';
import { engineErrorText } from '../process/engine-error-text.js';
import { describeExit, type Exit, type RunningProcess } from '../process/engine-process.js';
import { KeptProcess } from '../process/kept-process.js';
import type { KeptRun } from '../process/kept-run.js';
import { knockAt, type OpenFiles, openFilesOf } from '../process/open-files.js';
import { processorMsOf } from '../process/processor-time.js';
import { removeRunDirectory } from '../process/run-directory.js';
import { EngineUsers, type EngineUsersOptions } from '../reconcile/engine-users.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { AcceptanceWatch } from './acceptance-watch.js';
import type { DesiredState } from './desired-state.js';
import { preferForOomKill } from './engine-memory.js';
import { HealthWatch } from './health-watch.js';

/** A started engine process that waits for its configuration on stdin. */
export interface WaitingEngine {
  readonly process: RunningProcess;
  readonly channel: ApiChannel;
  /** Directory of this run; removed after it. */
  readonly runDir: string;
  /** Present when the engine may outlive the node. */
  readonly kept?: KeptRun | undefined;
}

export interface EngineLaunchOptions extends WaitingEngine {
  /** The configuration, whose secrets are masked in messages. */
  readonly tree: unknown;
  readonly templates: InboundTemplates;
  /** The configuration with users, in the engine's protobuf form. */
  readonly config: Iterable<Uint8Array>;
  /** Logs a message of the node itself. */
  readonly note: (text: string) => void;
  /** Takes a reading that nobody has asked for: the last one, and one of an engine that was busy. */
  readonly onReading: (reading: TrafficReading) => void;
  /** What the engine may do: some systems show its files to its own account alone. */
  readonly rights: EngineRights | undefined;
  /** Aborting it ends the launch with the signal's reason. */
  readonly signal: AbortSignal;
}

export interface EngineAdoptionOptions
  extends Omit<EngineLaunchOptions, 'config'>,
    Pick<EngineUsersOptions, 'inbounds'> {
  readonly countedBefore: CountedBefore;
}

/** Maximum time until a new engine answers. With 100,000 users on five inbounds it took seven seconds on two cores. */
const MAX_STARTUP_MS = 90_000;
const POLL_MS = 15;
const MAX_ANSWER_MS = 1000;
const MAX_LAST_READING_MS = 2500;
const MAX_TERMINATION_MS = 2000;

/** One run of the engine, from the time when its API answers until its end. */
export class Engine {
  readonly api: EngineApi;
  readonly templates: InboundTemplates;
  readonly users: EngineUsers;
  /** Has its own connection, so that long answers to other calls do not delay health checks. */
  private readonly healthApi: EngineApi;
  private readonly process: RunningProcess;
  private readonly readings = new SerialQueue();
  private health?: HealthWatch;
  private acceptance?: AcceptanceWatch;
  private hasHung = false;

  private constructor(private readonly options: Omit<EngineLaunchOptions, 'config'> & Partial<EngineAdoptionOptions>) {
    const { process, channel, templates, tree, note, inbounds, countedBefore } = options;
    this.process = process;
    this.templates = templates;
    this.api = new EngineApi(channel.socketPath, { countedBefore });
    this.healthApi = new EngineApi(channel.socketPath, { ownConnection: true });
    this.users = new EngineUsers({
      api: this.api,
      templates,
      note: (text) => note(engineErrorText([text], tree)),
      inbounds,
    });
  }

  /** Takes over an engine that another node has started and that answers. */
  static adopt(options: EngineAdoptionOptions): Engine {
    const engine = new Engine(options);
    engine.startWatching();
    return engine;
  }

  /**
   * Launches an engine and waits until it answers. START_FAILED with the engine's error text when it does not come up.
   */
  static async launch({ config, ...options }: EngineLaunchOptions): Promise<Engine> {
    const engine = new Engine(options);
    options.process.writeInput(config);
    await preferForOomKill(engine.pid);
    const problem = await engine.waitUntilReady().catch(() => 'was not waited for');
    if (problem !== undefined) {
      engine.kill();
      const cause = engine.endOf(await engine.exited);
      await engine.cleanUp();
      options.signal.throwIfAborted();
      const words = engineErrorText(engine.process.lastOutput, options.tree);
      throw new NodeError('START_FAILED', `the engine ${problem}${words === '' ? '' : `: ${words}`}`, { cause });
    }
    engine.startWatching();
    return engine;
  }

  /** Resolves when the engine has ended, for whatever reason. */
  get exited(): Promise<Exit> {
    return this.process.exited;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Its process in messages for operators. */
  get place(): string {
    return this.isForeign ? 'in another container' : `process ${this.pid}`;
  }

  /** Whether it runs in another container, where this process cannot see it. */
  get isForeign(): boolean {
    return this.process instanceof KeptProcess && this.process.pid === undefined;
  }

  /** Since when it has been too busy to answer; undefined when it answers. */
  get busySince(): Date | undefined {
    return this.health?.busySince;
  }

  get processorMs(): number | undefined {
    return processorMsOf(this.pid);
  }

  get answers(): number {
    return this.api.answeredCalls + this.healthApi.answeredCalls;
  }

  probe(deadlineMs: number): Promise<void> {
    return this.healthApi.waitUntilReady(deadlineMs);
  }

  knock(deadlineMs: number): Promise<void> {
    return knockAt(this.options.channel.socketPath, deadlineMs);
  }

  openFiles(): Promise<OpenFiles | undefined> {
    return openFilesOf(this.pid, this.options.rights);
  }

  /** Whether it takes new connections, its files when they were last counted, and what is wrong with either. */
  get load(): Pick<AcceptanceWatch, 'isAccepting' | 'files' | 'problem'> | undefined {
    return this.acceptance;
  }

  /** Describes how the engine ended; valid after it has ended. */
  describeEnd(exit: Exit): string {
    return this.hasHung ? 'did not answer any more and was ended' : describeExit(exit);
  }

  /** How the engine ended, with its last words; valid after it has ended. */
  endOf(exit: Exit): EngineEnd {
    return { exit, errorLines: this.process.lastErrors };
  }

  /**
   * Traffic since the last reading. Readings run one at a time, and none may be running when the engine is ended.
   * @throws EngineNotAnswering
   */
  async readTraffic(): Promise<TrafficReading> {
    // A reading waits already, for as long as the engine may be busy.
    if (this.busySince !== undefined) throw new EngineNotAnswering(busyText(this.busySince));
    return this.readCounters();
  }

  /** Takes a last reading, within a few seconds. Returns whether the engine has answered. */
  async readLastTraffic(): Promise<boolean> {
    const reading = this.health?.isUnresponsive ? undefined : await this.lastReading();
    if (reading !== undefined) this.options.onReading(reading);
    return reading !== undefined;
  }

  /** Records that it only has its connections left. */
  async markDraining(since: number): Promise<void> {
    this.acceptance?.stop();
    await this.options.kept?.markDraining(since);
  }

  /** Ends the engine at once with SIGKILL. */
  kill(): void {
    this.process.kill('SIGKILL');
  }

  /**
   * Takes a last reading and ends the engine, within a few seconds whatever state it is in. An engine that does not
   * answer is killed, since it would not react to SIGTERM either.
   */
  async end(): Promise<void> {
    if (!(await this.readLastTraffic())) this.kill();
    this.stopWatching();
    await this.process.terminate(MAX_TERMINATION_MS);
    await this.cleanUp();
  }

  /**
   * Takes a last reading and leaves the engine to the next node. An engine that cannot outlive this process, or does not
   * answer, is ended.
   */
  async leave(): Promise<void> {
    const { kept } = this.options;
    if (!(this.process instanceof KeptProcess) || kept === undefined) return this.end();
    if (!(await this.readLastTraffic())) return this.end();
    this.closeApi();
    await this.process.leave();
    await kept.release();
  }

  /** Releases what the run used. Never fails, even when the disk does. */
  async cleanUp(): Promise<void> {
    this.closeApi();
    await this.options.kept?.release();
    await removeRunDirectory(this.options.runDir);
  }

  private stopWatching(): void {
    this.health?.stop();
    this.acceptance?.stop();
  }

  private closeApi(): void {
    this.stopWatching();
    this.api.close();
    this.healthApi.close();
  }

  /** Takes the last reading within a limited time, since an earlier reading may still wait for its answer. */
  private async lastReading(): Promise<TrafficReading | undefined> {
    const givenUp = new AbortController();
    const patience = setTimeout(MAX_LAST_READING_MS, undefined, { signal: givenUp.signal }).catch(() => undefined);
    try {
      return await Promise.race([this.readCounters(MAX_LAST_READING_MS), patience]);
    } catch {
      return undefined;
    } finally {
      givenUp.abort();
    }
  }

  private readCounters(deadlineMs?: number): Promise<TrafficReading> {
    const { kept } = this.options;
    return this.readings.run(async () => {
      const reading = await this.api.readTraffic(deadlineMs);
      return kept === undefined ? reading : { ...reading, run: kept.id };
    });
  }

  private startWatching(): void {
    this.health = new HealthWatch(this, {
      busy: () => void this.waitForReading(),
      hung: () => {
        this.hasHung = true;
        this.kill();
      },
    });
    this.acceptance = new AcceptanceWatch(this, (problem) =>
      this.options.note(problem ?? 'the engine takes new connections, and has files left for them'),
    );
  }

  /** What a busy engine has counted must not be lost when it is ended for its silence, so its answer is waited for until then. */
  private async waitForReading(): Promise<void> {
    const { note, onReading } = this.options;
    note(`the engine (${this.place}) works, but has not answered for some seconds: it gets ${MAX_BUSY_MS / 1000} s`);
    try {
      onReading(await this.readCounters(MAX_BUSY_MS));
    } catch {
      // It was ended, or answers other calls.
    }
  }

  /**
   * Resolves with a description of the problem, or undefined when the engine is ready. Fails when the launch is
   * aborted.
   */
  private async waitUntilReady(): Promise<string | undefined> {
    const exit = this.process.exited;
    const deadline = performance.now() + MAX_STARTUP_MS;
    while (performance.now() < deadline) {
      const outcome = await raceAbort(Promise.race([exit, this.isReady()]), this.options.signal);
      if (typeof outcome !== 'boolean') return describeExit(outcome);
      if (outcome) return undefined;
      await setTimeout(POLL_MS);
    }
    return `did not come up within ${MAX_STARTUP_MS / 1000} s`;
  }

  /** The socket exists before the API accepts connections; a call before that fails. */
  private async isReady(): Promise<boolean> {
    try {
      await access(this.options.channel.socketPath);
      await this.api.waitUntilReady(MAX_ANSWER_MS);
      return true;
    } catch {
      return false;
    }
  }
}

/** A running engine and the state that it was started with. */
export interface RunningEngine {
  readonly engine: Engine;
  readonly desired: DesiredState;
}

/** Tells operators of an engine that works and does not answer. */
export const busyText = (since: Date): string =>
  `the engine is busy and has not answered since ${since.toISOString()}: its connections are slow, and their traffic is counted late`;
