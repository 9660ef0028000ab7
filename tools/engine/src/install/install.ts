import { cacheFolder, type Environment } from '../environment.js';
import { type Failure, ProgramUnavailable, reasonOf } from '../errors.js';
import { type ProgramName, programs } from '../programs.js';
import { consoleReporter, type Reporter } from '../reporter.js';
import { cacheStrategy } from '../strategies/cache.js';
import { goBuildStrategy } from '../strategies/go-build.js';
import { releaseStrategy } from '../strategies/release.js';
import { searchPathStrategy } from '../strategies/search-path.js';
import { variableStrategy } from '../strategies/variable.js';
import type { FoundProgram, InstallContext, Strategy, StrategyName, TransferLimits } from '../strategy.js';

/** A program that is ready to run. `version` differs from the pinned one only if the operator named the file. */
export interface InstalledProgram extends FoundProgram {
  strategy: StrategyName;
}

export interface InstallOptions {
  /** Environment variables. Default: those of this process. */
  env?: Environment;
  /** Default: a reporter that writes to standard error. */
  reporter?: Reporter;
  /** Aborts the install: no partial file is left, and the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Platform of the release archive. Default: that of this process. */
  platform?: string;
  /** Base addresses of the release site, for a mirror or a test. Default: GitHub. */
  site?: InstallContext['site'];
  transfer?: TransferLimits;
  /** The pinned sums of a test; by default those of the table in the repository are taken. */
  sums?: InstallContext['sums'];
}

const github = { downloads: 'https://github.com', api: 'https://api.github.com' };
const defaultLimits = { answerMs: 5_000, stallMs: 15_000 };

const strategies: readonly Strategy[] = [
  variableStrategy,
  searchPathStrategy,
  cacheStrategy,
  releaseStrategy,
  goBuildStrategy,
];

/**
 * Finds the pinned program, or installs it into the per-user cache: from its release archive, else by a Go build.
 * Throws ProgramUnavailable, whose message names each strategy with its reason, if every strategy fails.
 */
export async function installProgram(name: ProgramName, options: InstallOptions = {}): Promise<InstalledProgram> {
  const program = programs[name];
  const context = installContextOf(options);
  const { reporter, signal } = context;
  const failures: Failure[] = [];
  for (const strategy of strategies) {
    signal?.throwIfAborted();
    const label = strategy.label(program);
    try {
      const found = await strategy.find(program, context);
      reporter.say(`${program.name} ${found.version}: ${label}: ${found.path}`);
      return { ...found, strategy: strategy.name };
    } catch (error) {
      signal?.throwIfAborted();
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      reporter.say(`${program.name} ${program.version}: ${label}: ${reason}`);
      failures.push({ strategy: label, reason });
    }
  }
  const own = `set ${program.variable} to an executable of version ${program.version}`;
  const advice = `What to do: let this machine reach github.com or proxy.golang.org (the latter with Go installed), or ${own}.`;
  throw new ProgramUnavailable(program, failures, advice);
}

/** Fills in the defaults of the options. */
export function installContextOf(options: InstallOptions): InstallContext {
  const env = options.env ?? process.env;
  return {
    env,
    // A getter, because a program that the operator names must work without a cache folder.
    get cacheFolder() {
      return cacheFolder(env);
    },
    platform: options.platform ?? `${process.platform}-${process.arch}`,
    reporter: options.reporter ?? consoleReporter(process.stderr),
    transfer: options.transfer ?? defaultLimits,
    site: options.site ?? github,
    signal: options.signal,
    ...(options.sums === undefined ? {} : { sums: options.sums }),
  };
}
