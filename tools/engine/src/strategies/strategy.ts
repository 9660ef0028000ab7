import type { Environment } from '../environment.js';
import type { PinnedSums } from '../pinned-sums.js';
import type { Program } from '../programs.js';
import type { Reporter } from '../reporter.js';

/** `variable`: the operator named it; `path`: found on PATH; `release` and `go` have just put it into the cache. */
export type StrategyName = 'variable' | 'path' | 'cache' | 'release' | 'go';

export interface FoundProgram {
  path: string;
  version: string;
}

/** What every strategy is given. */
export interface InstallContext {
  env: Environment;
  cacheFolder: string;
  /** `process.platform`-`process.arch`. */
  platform: string;
  reporter: Reporter;
  transfer: TransferLimits;
  /** Pinned SHA-256 of release archives; default: the table in the repository. */
  sums?: PinnedSums;
  /** Base addresses of the release site and of its API, without a slash at the end. */
  site: { downloads: string; api: string };
  /** Ends the work under strategy; nothing half done stays. */
  signal: AbortSignal | undefined;
}

export interface TransferLimits {
  /** Milliseconds until the answer's head must be there, for each redirect anew. */
  answerMs: number;
  /** Milliseconds without a byte after which a download is given up. */
  stallMs: number;
}

/** One strategy to a program. It finds it, or throws StrategyFailed with the reason. */
export interface Strategy {
  name: StrategyName;
  /** How the operator knows this strategy. */
  label(program: Program): string;
  find(program: Program, context: InstallContext): Promise<FoundProgram>;
}
