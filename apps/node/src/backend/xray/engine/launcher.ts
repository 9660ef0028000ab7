import { NodeError } from '../../../errors/node-error.js';
import type { EngineSettings } from '../../../node.settings.js';
import type { ApiChannel } from '../config/render-config.js';
import { CompiledConfig } from '../messages/compiled-config.js';
import { EncodedUsers } from '../messages/inbound-users.js';
import { checkConfig } from '../preflight/check-config.js';
import { removeStaleSockets } from '../preflight/check-ports.js';
import { convertConfig } from '../preflight/convert-config.js';
import { EngineProcess } from '../process/engine-process.js';
import { engineOwnerMark, OWNER_VARIABLE } from '../process/orphaned-engines.js';
import { createRunDirectory, removeRunDirectory } from '../process/run-directory.js';
import type { EngineCommandInput } from '../process/run-engine-command.js';
import { API_HOST, withoutAliases } from '../reserved.js';
import { checkRunnable } from '../rights/check-runnable.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { filePrivilegeWarning } from '../rights/file-privileges.js';
import type { DesiredState } from './desired-state.js';
import { Engine, type WaitingEngine } from './engine.js';
import { newApiChannel, skeletonConfig } from './engine-config.js';
import { goMemoryLimit } from './engine-memory.js';

export interface EngineLauncherOptions {
  readonly dataDir: string;
  readonly settings: EngineSettings;
  /** What the engine may do; asked for before each start. */
  readonly rights: () => Promise<EngineRights>;
  readonly onLine: (line: string) => void;
  readonly note: (text: string) => void;
}

export interface PreparedEngine extends WaitingEngine {
  /** START_FAILED when the engine does not read it. */
  readonly config: Promise<CompiledConfig>;
}

export interface LaunchOptions {
  /** Inbounds that are to be added later. */
  readonly leaveOut?: ReadonlySet<string>;
  readonly prepared?: PreparedEngine | undefined;
  /** The users of the desired, where somebody has written them already. */
  readonly encodedUsers?: EncodedUsers | undefined;
}

/** A desired whose users are not known yet. */
export type EngineProgram = Pick<DesiredState, 'located' | 'plan'>;

const NO_TAGS: ReadonlySet<string> = new Set();

/** Brings engines up, each with a directory and a way to its API of its own. */
export class EngineLauncher {
  private abortController = new AbortController();
  private privilegeWarning?: string;

  constructor(private readonly options: EngineLauncherOptions) {}

  /** Lets the engine judge a configuration without running it. CONFIG_REFUSED with its own words. */
  async checkConfig(program: EngineProgram): Promise<void> {
    await checkConfig(this.commandInput(program, newApiChannel('/'), await this.checkedRights(program)));
  }

  /** Begins a run that waits for its users. */
  async prepareRun(program: EngineProgram): Promise<PreparedEngine> {
    const { dataDir, onLine } = this.options;
    const environment = await this.environment();
    const rights = await this.checkedRights(program);
    const runDir = await createRunDirectory(dataDir, rights);
    const channel = newApiChannel(runDir);
    const own = [channel.tag, channel.inboundTag, channel.socketPath, API_HOST];
    const process = new EngineProcess(
      {
        path: program.located.path,
        args: ['run', '-format', 'pb', '-c', 'stdin:'],
        environment,
        wrapper: rights.wrapper(program.plan.capabilities),
      },
      (line) => own.some((text) => line.includes(text)) || onLine(withoutAliases(line)),
    );
    const config = convertConfig(this.commandInput(program, channel, rights), dataDir, rights).then(
      (bytes) => new CompiledConfig(program.plan.inbounds, bytes),
    );
    // Whoever waits for it hears of its failure.
    config.catch(() => undefined);
    return { process, channel, config, runDir };
  }

  /** Ends one that does not run. */
  async discardRun({ process, runDir }: WaitingEngine): Promise<void> {
    process.kill('SIGKILL');
    await process.exited;
    await removeRunDirectory(runDir);
  }

  /** START_FAILED when it does not come up; then nothing of it is left. */
  async launch(
    desired: DesiredState,
    { leaveOut = NO_TAGS, prepared, encodedUsers }: LaunchOptions = {},
  ): Promise<Engine> {
    const { note } = this.options;
    await removeStaleSockets(desired.plan.endpoints);
    const { config: compiling, ...waiting } = prepared ?? (await this.prepareRun(desired));
    const users = encodedUsers ?? (await EncodedUsers.fromDirectory(desired.directory));
    const config = await compiling.catch(async (error: unknown) => {
      await this.discardRun(waiting);
      throw error;
    });
    const engine = await Engine.launch({
      ...{ ...waiting, desired, templates: config.templates, note, signal: this.abortController.signal },
      config: config.encodeWithUsers(users, leaveOut),
    });
    await this.updatePrivilegeWarning(engine, desired);
    return engine;
  }

  /** Aborted when nothing is to come up any more. */
  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  /** Nothing comes up any more, until `resume`. */
  abortLaunches(reason = new NodeError('SHUTTING_DOWN', 'the node is shutting down')): void {
    this.abortController.abort(reason);
  }

  allowLaunches(): void {
    this.abortController = new AbortController();
  }

  /** What an operator should know about the engine's program. */
  get warnings(): readonly string[] {
    return this.privilegeWarning === undefined ? [] : [this.privilegeWarning];
  }

  private async updatePrivilegeWarning({ pid }: Engine, { located, plan }: DesiredState): Promise<void> {
    const odd = await filePrivilegeWarning(pid, located.path, await this.options.rights(), plan.capabilities);
    if (odd !== undefined && odd !== this.privilegeWarning) this.options.note(odd);
    this.privilegeWarning = odd;
  }

  /** START_FAILED when the program does not run under them. */
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

  private async environment(): Promise<Readonly<Record<string, string>>> {
    const { dataDir, settings } = this.options;
    const limit = goMemoryLimit();
    return {
      ...(limit === undefined ? {} : { GOMEMLIMIT: limit }),
      // Spliced bytes are counted when their connection ends: a limit would not hold, and a crash would lose them.
      XRAY_BUF_SPLICE: 'disable',
      ...settings.environment,
      [OWNER_VARIABLE]: await engineOwnerMark(dataDir),
    };
  }
}
