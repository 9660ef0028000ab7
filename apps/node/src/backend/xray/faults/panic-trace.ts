import type { Exit } from '../process/engine-process.js';

/** How an engine ended, and the latest lines that it wrote to stderr. */
export interface EngineEnd {
  readonly exit: Exit;
  readonly errorLines: readonly string[];
}

/** The exit code of a Go program that panicked. */
const PANIC_CODE = 2;

/**
 * The functions of the stack trace with which a Go program ended; none for any other end. The engine's log, which has texts
 * of users, goes to stdout. A panic's message may have some too, but Go indents all its lines except for the first.
 */
export function panicFrames({ exit, errorLines }: EngineEnd): readonly string[] {
  if (exit.code !== PANIC_CODE) return [];
  const cause = errorLines.findLastIndex((line) => /^(?:panic|fatal error): /.test(line));
  if (cause < 0) return [];
  const trace = errorLines.slice(cause);
  const begin = trace.findIndex((line) => /^goroutine \d+ .*\[running/.test(line));
  if (begin < 0) return [];
  const own = trace.slice(begin + 1);
  const next = own.findIndex((line) => line.startsWith('goroutine '));
  return own.slice(0, next < 0 ? undefined : next).filter((line) => !line.startsWith('\t'));
}
