import type { EngineSettings } from '../../../node.settings.js';
import { removeStaleSockets } from '../process/check-ports.js';
import { OWNER_VARIABLE, ownerMark } from '../process/orphans.js';
import { parentDeathWrapper } from '../process/parent-death.js';
import { createRunDirectory } from '../process/run-directory.js';
import { Engine } from './engine.js';
import { goMemoryLimit } from './memory.js';
import type { Target } from './target.js';

export interface LauncherOptions {
  readonly dataDir: string;
  readonly settings: EngineSettings;
  readonly onLine: (line: string) => void;
  readonly note: (text: string) => void;
}

const NONE: ReadonlySet<string> = new Set();

/** Brings engines up, each with a directory and a way to its API of its own. */
export class Launcher {
  private givingUp = new AbortController();

  constructor(private readonly options: LauncherOptions) {}

  /** START_FAILED when it does not come up. Inbounds that are left out are to be added later. */
  async launch(target: Target, leaveOut = NONE): Promise<Engine> {
    const { dataDir, settings, onLine, note } = this.options;
    const limit = goMemoryLimit();
    await removeStaleSockets(target.plan.endpoints);
    return Engine.launch({
      target,
      leaveOut,
      wrapper: await parentDeathWrapper(settings.searchPath),
      environment: {
        ...(limit === undefined ? {} : { GOMEMLIMIT: limit }),
        ...settings.environment,
        [OWNER_VARIABLE]: await ownerMark(dataDir),
      },
      runDir: await createRunDirectory(dataDir),
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
}
