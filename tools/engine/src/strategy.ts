import type { Environment } from './environment.js';
import type { PinnedSums } from './pinned-sums.js';
import type { Program } from './programs.js';
import type { Reporter } from './reporter.js';

/** `variable`: named by the operator; `path`: found on PATH; `cache`: installed before; `release`, `go`: installed now. */
export type StrategyName = 'variable' | 'path' | 'cache' | 'release' | 'go';

export interface FoundProgram {
  path: string;
  version: string;
}

/** The machine, the limits and the reporter that every strategy gets. */
export interface InstallContext {
  env: Environment;
  cacheFolder: string;
  /** `process.platform` and `process.arch`, joined by a hyphen. */
  platform: string;
  reporter: Reporter;
  transfer: TransferLimits;
  /** The pinned SHA-256 of release archives; by default those of the table in the repository. */
  sums?: PinnedSums;
  /** Base addresses of the release site and of its API, without a slash at the end. */
  site: { downloads: string; api: string };
  /** Aborts the work; no partial file is left. */
  signal: AbortSignal | undefined;
}

export interface TransferLimits {
  /** Milliseconds until the headers of the response must arrive, for each redirect. */
  answerMs: number;
  /** Milliseconds without data after which a download fails. */
  stallMs: number;
}

/** One way to get a program. `find` returns the program or throws StrategyFailed with the reason. */
export interface Strategy {
  name: StrategyName;
  /** Name of the strategy in messages to the operator. */
  label(program: Program): string;
  find(program: Program, context: InstallContext): Promise<FoundProgram>;
}
