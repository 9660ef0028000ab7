import { messageOf } from '@rampart/program';
import type { EngineSettings } from '../../../env/node.settings.js';
import { NodeError } from '../../../errors/node-error.js';
import { describeDiskProblem } from '../../../storage/disk-problem.js';
import type { EngineRuns, TrafficReading } from '../../backend.js';
import type { ApiChannel } from '../config/plan/render-config.js';
import { CompiledConfig } from '../messages/compiled-config.js';
import type { InboundTemplates } from '../messages/inbound-template.js';
import { EncodedUsers } from '../messages/inbound-users.js';
import { API_HOST, withoutAliases } from '../names/reserved.js';
import { checkConfig } from '../preflight/check-config.js';
import { removeStaleSockets } from '../preflight/check-ports.js';
import { convertConfig } from '../preflight/convert-config.js';
import { type EngineCommand, EngineProcess } from '../process/engine-process.js';
import { findKeeping } from '../process/find-keeping.js';
import { KeptProcess } from '../process/kept-process.js';
import { KeptRun } from '../process/kept-run.js';
import { engineOwnerMark, OWNER_VARIABLE, RUN_VARIABLE } from '../process/orphaned-engines.js';
import { createRunDirectory, engineDirectory, removeRunDirectory } from '../process/run-directory.js';
import type { EngineCommandInput } from '../process/run-engine-command.js';
import { UserTexts } from '../process/user-texts.js';
import { checkRunnable } from '../rights/check-runnable.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { filePrivilegeWarning } from '../rights/file-privileges.js';
import type { DesiredState } from './desired-state.js';
import { Engine, type WaitingEngine } from './engine.js';
import { newApiChannel, skeletonConfig } from './engine-config.js';
import { engineDigest } from './engine-digest.js';
import { goMemoryLimit } from './engine-memory.js';

/** The host of the API, not a part of a longer name of a user's choice. */
const ABOUT_API = new RegExp(`(?<![\\w.-])${API_HOST.replaceAll('.', '\\.')}(?![\\w.-])`);

export interface EngineLauncherOptions {
  readonly dataDir: string;
  readonly settings: EngineSettings;
  /** Determines what the engine process may do; called before each start. */
  readonly rights: () => Promise<EngineRights>;
  readonly onLine: (line: string) => void;
  readonly note: (text: string) => void;
  /** See `EngineLaunchOptions.onReading`. */
  readonly onReading: (reading: TrafficReading) => void;
  /** Seconds for which an engine may run without a node; 0: it ends with the node. */
  readonly keepSeconds: number;
  /** Where the traffic of engines that may outlive the node is counted. */
  readonly runs?: EngineRuns | undefined;
}

export interface PreparedEngine extends WaitingEngine {
  /** Rejects with START_FAILED when the engine cannot read the configuration. */
  readonly config: Promise<CompiledConfig>;
}

export interface LaunchOptions {
  /** Tags of inbounds that are added later. */
  readonly leaveOut?: ReadonlySet<string>;
  readonly prepared?: PreparedEngine | undefined;
  /** The users of the desired state, when they have been encoded already. */
  readonly encodedUsers?: EncodedUsers | undefined;
}

/** The engine's program and plan, before the users are known. */
export type EngineProgram = Pick<DesiredState, 'located' | 'plan'>;

const NO_TAGS: ReadonlySet<string> = new Set();

/** Launches engines, each with its own directory and API channel. */
export class EngineLauncher {
  private abortController = new AbortController();
  private privilegeWarning?: string;
  /** Why the last engine cannot outlive the node. */
  private unkept: string | undefined;

  constructor(private readonly options: EngineLauncherOptions) {}

  /** Lets the engine check a configuration without running it. @throws NodeError `CONFIG_REFUSED` with its error text */
  async checkConfig(program: EngineProgram): Promise<void> {
    await checkConfig(this.commandInput(program, newApiChannel('/'), await this.checkedRights(program)));
  }

  /** Starts an engine process that waits for its users. */
  async prepareRun(program: EngineProgram): Promise<PreparedEngine> {
    const { dataDir } = this.options;
    const rights = await this.checkedRights(program);
    const command: EngineCommand = {
      path: program.located.path,
      args: ['run', '-format', 'pb', '-c', 'stdin:'],
      environment: this.environment(),
      wrapper: rights.wrapper(program.plan.capabilities),
    };
    const run = (await this.startKept(command, rights)) ?? (await this.startPlain(command, rights));
    const { channel } = run;
    const config = convertConfig(this.commandInput(program, channel, rights), dataDir, rights).then(
      (bytes) => new CompiledConfig(program.plan.inbounds, bytes),
    );
    // Prevents an unhandled rejection; the caller that awaits the promise gets the error.
    config.catch(() => undefined);
    return { ...run, config };
  }

  /** Forwards lines of the engine's output that are not about the API, and marks those that a user may have written. */
  lineFilter({ tag, inboundTag, socketPath }: ApiChannel): (line: string) => void {
    const own = [tag, inboundTag, socketPath];
    const texts = new UserTexts();
    return (line) => {
      if (own.some((text) => line.includes(text)) || ABOUT_API.test(line)) return;
      this.options.onLine(withoutAliases(texts.marked(line)));
    };
  }

  /** The engine's form of the inbounds of a configuration. START_FAILED when the engine cannot read it. */
  async templatesOf(program: EngineProgram): Promise<InboundTemplates> {
    const rights = await this.checkedRights(program);
    const input = this.commandInput(program, newApiChannel('/'), rights);
    const bytes = await convertConfig(input, this.options.dataDir, rights);
    return new CompiledConfig(program.plan.inbounds, bytes).templates;
  }

  /** See `engineDigest`. */
  async digestOf(program: EngineProgram): Promise<string> {
    const { keepSeconds, rights, settings } = this.options;
    return engineDigest(program, await rights(), { environment: settings.environment, keepSeconds });
  }

  /** Ends a process that was prepared but not launched. */
  async discardRun({ process, runDir, kept }: WaitingEngine): Promise<void> {
    process.kill('SIGKILL');
    await process.exited;
    await kept?.release();
    await removeRunDirectory(runDir);
  }

  /** Launches an engine with this state. START_FAILED when it does not come up; nothing of it is left then. */
  async launch(
    desired: DesiredState,
    { leaveOut = NO_TAGS, prepared, encodedUsers }: LaunchOptions = {},
  ): Promise<Engine> {
    const { note, onReading } = this.options;
    await removeStaleSockets(desired.plan.endpoints);
    const { config: compiling, ...waiting } = prepared ?? (await this.prepareRun(desired));
    const users = encodedUsers ?? (await EncodedUsers.fromDirectory(desired.directory));
    const config = await compiling.catch(async (error: unknown) => {
      await this.discardRun(waiting);
      throw error;
    });
    const engine = await Engine.launch({
      ...{ ...waiting, templates: config.templates, note, onReading, signal: this.abortController.signal },
      rights: await this.options.rights(),
      tree: desired.plan.tree,
      config: config.encodeWithUsers(users, leaveOut),
    });
    if (waiting.kept !== undefined) await this.recordRun(waiting.kept, waiting, engine, desired);
    await this.updatePrivilegeWarning(engine, desired);
    return engine;
  }

  /** The signal that `abortLaunches` aborts. */
  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  /** Aborts all launches, until `allowLaunches`. */
  abortLaunches(reason = new NodeError('SHUTTING_DOWN', 'the node is shutting down')): void {
    this.abortController.abort(reason);
  }

  allowLaunches(): void {
    this.abortController = new AbortController();
  }

  /** Warnings about the engine's executable file. */
  get warnings(): readonly string[] {
    return this.privilegeWarning === undefined ? [] : [this.privilegeWarning];
  }

  private async updatePrivilegeWarning({ pid }: Engine, { located, plan }: DesiredState): Promise<void> {
    const odd = await filePrivilegeWarning(pid, located.path, await this.options.rights(), plan.capabilities);
    if (odd !== undefined && odd !== this.privilegeWarning) this.options.note(odd);
    this.privilegeWarning = odd;
  }

  /** The engine's rights. START_FAILED when the executable does not run with them. */
  private async checkedRights({ located, plan }: EngineProgram): Promise<EngineRights> {
    const rights = await this.options.rights();
    await checkRunnable(located.path, rights, plan.capabilities);
    return rights;
  }

  private commandInput(
    { located, plan }: EngineProgram,
    channel: ApiChannel,
    rights: EngineRights,
  ): EngineCommandInput {
    return {
      path: located.path,
      wrapper: rights.wrapper(plan.capabilities),
      environment: this.options.settings.environment,
      text: skeletonConfig(plan, channel),
      tree: plan.tree,
      signal: this.abortController.signal,
    };
  }

  private async startPlain(command: EngineCommand, rights: EngineRights): Promise<WaitingEngine> {
    const runDir = await createRunDirectory(this.options.dataDir, rights);
    const channel = newApiChannel(runDir);
    return { process: new EngineProcess(command, this.lineFilter(channel)), channel, runDir };
  }

  /** Starts an engine that may outlive the node; undefined where none should, or none can. */
  private async startKept(command: EngineCommand, rights: EngineRights): Promise<WaitingEngine | undefined> {
    const { dataDir, keepSeconds, settings } = this.options;
    const keeping = await findKeeping(keepSeconds, settings.searchPath, rights);
    if ('problem' in keeping) {
      this.noteUnkept(keeping.problem);
      return undefined;
    }
    const runDir = await createRunDirectory(dataDir, rights, true);
    const channel = newApiChannel(engineDirectory(runDir));
    let kept: KeptRun | undefined;
    try {
      kept = await KeptRun.begin(runDir);
      const environment = { ...command.environment, [RUN_VARIABLE]: kept.id };
      const process = await KeptProcess.start(runDir, { ...command, environment }, keeping, this.lineFilter(channel));
      return { process, channel, runDir, kept };
    } catch (error) {
      await kept?.release();
      await removeRunDirectory(runDir);
      this.noteUnkept(`the engine ends with the node: ${messageOf(error)}`);
      return undefined;
    }
  }

  private noteUnkept(problem: string | undefined): void {
    if (problem !== undefined && problem !== this.unkept) this.options.note(problem);
    this.unkept = problem;
  }

  /** Writes down what the next node needs to take the engine over. */
  private async recordRun(
    kept: KeptRun,
    { process, channel }: WaitingEngine,
    engine: Engine,
    desired: DesiredState,
  ): Promise<void> {
    const { runs, note } = this.options;
    await runs?.beginRun(kept.id);
    if (runs) void engine.exited.then(() => runs.endRun(kept.id));
    if (!(process instanceof KeptProcess)) return;
    const { located, plan } = desired;
    try {
      await kept.writeRecord({
        identity: process.identity,
        api: { tag: channel.tag, inboundTag: channel.inboundTag },
        program: located,
        digest: await this.digestOf(desired),
        config: plan.source,
        leftOut: plan.leftOut,
        startedAt: Date.now(),
      });
    } catch (error) {
      note(`the engine ends when the node is restarted: ${describeDiskProblem('its record', error)}`);
    }
  }

  private environment(): Readonly<Record<string, string>> {
    const { dataDir, settings } = this.options;
    const limit = goMemoryLimit();
    return {
      ...(limit === undefined ? {} : { GOMEMLIMIT: limit }),
      // Spliced bytes are counted when their connection ends: data limits would be enforced late, and a crash
      // would lose them.
      XRAY_BUF_SPLICE: 'disable',
      ...settings.environment,
      [OWNER_VARIABLE]: engineOwnerMark(dataDir),
    };
  }
}
