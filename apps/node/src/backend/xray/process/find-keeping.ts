import { findInPath } from '../executable/locate-engine.js';
import type { EngineRights } from '../rights/engine-rights.js';
import type { Keeping } from './kept-process.js';
import { ownPidNamespace } from './process-identity.js';

/** The shell that runs the keeper of an engine, and the programs that the keeper runs. */
const PROGRAMS = ['bash', 'mkfifo', 'tail', 'rm', 'env'];

/** How an engine can outlive the node for this time, or why it cannot; a time of 0 means that it should not. */
export async function findKeeping(
  seconds: number,
  searchPath: string,
  rights: EngineRights,
): Promise<Keeping | { readonly problem: string | undefined }> {
  if (seconds === 0) return { problem: undefined };
  const paths = await Promise.all(PROGRAMS.map((name) => findInPath(name, searchPath)));
  const missing = PROGRAMS.filter((_, index) => paths[index] === undefined);
  const [shell] = paths;
  const problem = (why: string) => ({ problem: `the engine ends with the node: ${why}` });
  if (shell === undefined || missing.length > 0) return problem(`PATH has no ${missing.join(', ')}`);
  // Without this an engine whose keeper was killed would run without end.
  if (!rights.endsWithParent) return problem('PATH has no setpriv that ends a program with its parent');
  if (ownPidNamespace() === '') return problem('there is no /proc');
  return { seconds, shell, searchPath };
}
