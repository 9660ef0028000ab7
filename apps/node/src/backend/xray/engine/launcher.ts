import { NodeError } from '../../../errors/node-error.js';
import type { EngineSettings } from '../../../node.settings.js';
import type { ApiChannel } from '../config/render-config.js';
import { CompiledConfig } from '../messages/compiled-config.js';
import { WrittenUsers } from '../messages/inbound-users.js';
import { checkConfig } from '../preflight/check-config.js';
import { removeStaleSockets } from '../preflight/check-ports.js';
import { convertConfig } from '../preflight/convert-config.js';
import { EngineProcess } from '../process/engine-process.js';
import { OWNER_VARIABLE, ownerMark } from '../process/orphaned-engines.js';
import { createRunDirectory, removeRunDirectory } from '../process/run-directory.js';
import type { Question } from '../process/run-engine-command.js';
import { API_HOST, withoutAliases } from '../reserved.js';
import { demandRunnable } from '../rights/check-runnable.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { filePrivileges } from '../rights/file-privileges.js';
import type { Target } from './desired-state.js';
import { Engine, type WaitingEngine } from './engine.js';
import { newChannel, skeletonConfig } from './engine-config.js';
import { goMemoryLimit } from './engine-memory.js';

export interface LauncherOptions {
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
  /** The users of the target, where somebody has written them already. */
  readonly written?: WrittenUsers | undefined;
}

/** A target whose users are not known yet. */
export type Program = Pick<Target, 'located' | 'plan'>;

const NONE: ReadonlySet<string> = new Set();

/** Brings engines up, each with a directory and a way to its API of its own. */
export class Launcher {
  private givingUp = new AbortController();
  private oddFile?: string;

  constructor(private readonly options: LauncherOptions) {}

  /** Lets the engine judge a configuration without running it. CONFIG_REFUSED with its own words. */
  async check(program: Program): Promise<void> {
    await checkConfig(this.question(program, newChannel('/'), await this.rightsFor(program)));
  }

  /** Begins a run that waits for its users. */
  async prepare(program: Program): Promise<PreparedEngine> {
    const { dataDir, onLine } = this.options;
    const environment = await this.environment();
    const rights = await this.rightsFor(program);
    const runDir = await createRunDirectory(dataDir, rights);
    const channel = newChannel(runDir);
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
    const config = convertConfig(this.question(program, channel, rights), dataDir, rights).then(
      (bytes) => new CompiledConfig(program.plan.inbounds, bytes),
    );
    // Whoever waits for it hears of its failure.
    config.catch(() => undefined);
    return { process, channel, config, runDir };
  }

  /** Ends one that does not run. */
  async discard({ process, runDir }: WaitingEngine): Promise<void> {
    process.kill('SIGKILL');
    await process.exited;
    await removeRunDirectory(runDir);
  }

  /** START_FAILED when it does not come up; then nothing of it is left. */
  async launch(target: Target, { leaveOut = NONE, prepared, written }: LaunchOptions = {}): Promise<Engine> {
    const { note } = this.options;
    await removeStaleSockets(target.plan.endpoints);
    const { config: compiling, ...waiting } = prepared ?? (await this.prepare(target));
    const users = written ?? (await WrittenUsers.of(target.directory));
    const config = await compiling.catch(async (error: unknown) => {
      await this.discard(waiting);
      throw error;
    });
    const engine = await Engine.launch({
      ...{ ...waiting, target, templates: config.templates, note, signal: this.givingUp.signal },
      config: config.withUsers(users, leaveOut),
    });
    await this.lookAt(engine, target);
    return engine;
  }

  /** Aborted when nothing is to come up any more. */
  get signal(): AbortSignal {
    return this.givingUp.signal;
  }

  /** Nothing comes up any more, until `resume`. */
  giveUp(reason = new NodeError('SHUTTING_DOWN', 'the node is shutting down')): void {
    this.givingUp.abort(reason);
  }

  resume(): void {
    this.givingUp = new AbortController();
  }

  /** What an operator should know about the engine's program. */
  get warnings(): readonly string[] {
    return this.oddFile === undefined ? [] : [this.oddFile];
  }

  private async lookAt({ pid }: Engine, { located, plan }: Target): Promise<void> {
    const odd = await filePrivileges(pid, located.path, await this.options.rights(), plan.capabilities);
    if (odd !== undefined && odd !== this.oddFile) this.options.note(odd);
    this.oddFile = odd;
  }

  /** START_FAILED when the program does not run under them. */
  private async rightsFor({ located, plan }: Program): Promise<EngineRights> {
    const rights = await this.options.rights();
    await demandRunnable(located.path, rights, plan.capabilities);
    return rights;
  }

  private question({ located, plan }: Program, channel: ApiChannel, rights: EngineRights): Question {
    return {
      path: located.path,
      wrapper: rights.wrapper(plan.capabilities),
      environment: this.options.settings.environment,
      text: skeletonConfig(plan, channel),
      tree: plan.tree,
      signal: this.givingUp.signal,
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
      [OWNER_VARIABLE]: await ownerMark(dataDir),
    };
  }
}
