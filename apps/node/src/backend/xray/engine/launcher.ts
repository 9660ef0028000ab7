import { rm } from 'node:fs/promises';
import type { EngineSettings } from '../../../node.settings.js';
import { CompiledConfig } from '../api/compiled-config.js';
import type { ApiChannel } from '../config/render-config.js';
import type { Question } from '../process/ask-engine.js';
import { checkConfig } from '../process/check-config.js';
import { removeStaleSockets } from '../process/check-ports.js';
import { convertConfig } from '../process/convert-config.js';
import { OWNER_VARIABLE, ownerMark } from '../process/orphans.js';
import { parentDeathWrapper } from '../process/parent-death.js';
import { createRunDirectory } from '../process/run-directory.js';
import { Engine } from './engine.js';
import { newChannel, skeletonConfig } from './engine-config.js';
import { goMemoryLimit } from './memory.js';
import type { Target } from './target.js';

export interface LauncherOptions {
  readonly dataDir: string;
  readonly settings: EngineSettings;
  readonly onLine: (line: string) => void;
  readonly note: (text: string) => void;
}

/** What one run of the engine begins with, but for its users. */
export interface PreparedRun {
  /** Of this run alone; removed after it. */
  readonly runDir: string;
  readonly channel: ApiChannel;
  readonly config: CompiledConfig;
}

interface LaunchOptions {
  readonly leaveOut?: ReadonlySet<string>;
  readonly prepared?: PreparedRun | undefined;
}

/** A target whose users are not known yet. */
export type Program = Pick<Target, 'located' | 'plan'>;

const NONE: ReadonlySet<string> = new Set();

/** Brings engines up, each with a directory and a way to its API of its own. */
export class Launcher {
  private givingUp = new AbortController();

  constructor(private readonly options: LauncherOptions) {}

  /** Lets the engine judge a configuration without running it. CONFIG_REFUSED with its own words. */
  async check(program: Program): Promise<void> {
    await checkConfig(this.question(program, newChannel('/')));
  }

  /** START_FAILED when the engine does not read the configuration. */
  async prepare(program: Program): Promise<PreparedRun> {
    const runDir = await createRunDirectory(this.options.dataDir);
    const channel = newChannel(runDir);
    try {
      const bytes = await convertConfig(this.question(program, channel), runDir);
      return { runDir, channel, config: new CompiledConfig(program.plan.inbounds, bytes) };
    } catch (error) {
      await rm(runDir, { recursive: true, force: true });
      throw error;
    }
  }

  /** START_FAILED when it does not come up. Inbounds that are left out are to be added later. */
  async launch(target: Target, { leaveOut = NONE, prepared }: LaunchOptions = {}): Promise<Engine> {
    const { dataDir, settings, onLine, note } = this.options;
    const limit = goMemoryLimit();
    await removeStaleSockets(target.plan.endpoints);
    const { config, ...run } = prepared ?? (await this.prepare(target));
    return Engine.launch({
      ...run,
      target,
      templates: config.templates,
      stdin: config.withUsers((tag) => target.directory.members(tag), leaveOut),
      wrapper: await parentDeathWrapper(settings.searchPath),
      environment: {
        ...(limit === undefined ? {} : { GOMEMLIMIT: limit }),
        ...settings.environment,
        [OWNER_VARIABLE]: await ownerMark(dataDir),
      },
      onLine,
      note,
      signal: this.givingUp.signal,
    });
  }

  /** Nothing comes up any more, until `resume`. */
  giveUp(): void {
    this.givingUp.abort();
  }

  resume(): void {
    this.givingUp = new AbortController();
  }

  private question({ located, plan }: Program, channel: ApiChannel): Question {
    return {
      path: located.path,
      environment: this.options.settings.environment,
      text: skeletonConfig(plan, channel),
      tree: plan.tree,
      signal: this.givingUp.signal,
    };
  }
}
