import type { Environment } from '../environment.js';
import type { PinnedSums } from '../pinned-sums.js';
import type { Program } from '../programs.js';
import type { Reporter } from '../reporter.js';

/** `variable`: the operator named it; `path`: found on PATH; `release` and `go` have just put it into the cache. */
export type WayName = 'variable' | 'path' | 'cache' | 'release' | 'go';

export interface FoundProgram {
  path: string;
  version: string;
}

/** What every way is given. */
export interface Surroundings {
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
  /** Ends the work under way; nothing half done stays. */
  signal: AbortSignal | undefined;
}

export interface TransferLimits {
  /** Milliseconds until the answer's head must be there, for each redirect anew. */
  answerMs: number;
  /** Milliseconds without a byte after which a download is given up. */
  stallMs: number;
}

/** One way to a program. It finds it, or throws WayFailed with the reason. */
export interface Way {
  name: WayName;
  /** How the operator knows this way. */
  label(program: Program): string;
  find(program: Program, surroundings: Surroundings): Promise<FoundProgram>;
}
