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
  /** Determines what the engine process may do; called before each start. */
  readonly rights: () => Promise<EngineRights>;
  readonly onLine: (line: string) => void;
  readonly note: (text: string) => void;
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

  constructor(private readonly options: EngineLauncherOptions) {}

  /** Lets the engine check a configuration without running it. CONFIG_REFUSED with the engine's error text. */
  async checkConfig(program: EngineProgram): Promise<void> {
    await checkConfig(this.commandInput(program, newApiChannel('/'), await this.checkedRights(program)));
  }

  /** Starts an engine process that waits for its users. */
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
    // Prevents an unhandled rejection; the caller that awaits the promise gets the error.
    config.catch(() => undefined);
    return { process, channel, config, runDir };
  }

  /** Ends a process that was prepared but not launched. */
  async discardRun({ process, runDir }: WaitingEngine): Promise<void> {
    process.kill('SIGKILL');
    await process.exited;
    await removeRunDirectory(runDir);
  }

  /** Launches an engine with this state. START_FAILED when it does not come up; nothing of it is left then. */
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

  private async environment(): Promise<Readonly<Record<string, string>>> {
    const { dataDir, settings } = this.options;
    const limit = goMemoryLimit();
    return {
      ...(limit === undefined ? {} : { GOMEMLIMIT: limit }),
      // Spliced bytes are counted when their connection ends: data limits would be enforced late, and a crash
      // would lose them.
      XRAY_BUF_SPLICE: 'disable',
      ...settings.environment,
      [OWNER_VARIABLE]: await engineOwnerMark(dataDir),
    };
  }
}
