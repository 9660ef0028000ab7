import type { JsonObject } from '../config/json-tree.js';
import { engineErrorText } from './engine-error-text.js';
import { EngineProcess, type Exit } from './engine-process.js';

/** A configuration that the engine is to look at without running it. */
export interface EngineCommandInput {
  /** Of the engine's program. */
  readonly path: string;
  /** As for the engine's own process. */
  readonly wrapper?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly text: string;
  /** What the text was made of, whose secrets no error may tell. */
  readonly tree: JsonObject;
  /** Aborted, with the error for whoever does, when nobody should wait for the answer any more. */
  readonly signal: AbortSignal;
}

const MAX_RUN_MS = 20_000;

/** How the program ended, and what it said; the signal's reason when that aborts. */
export async function runEngineCommand(
  { path, wrapper = [], environment, text, tree, signal }: EngineCommandInput,
  args: readonly string[],
): Promise<{ exit: Exit; words: string }> {
  const program = new EngineProcess({ path, args, environment, wrapper });
  program.writeInput([text]);
  const kill = () => program.kill('SIGKILL');
  const timer = setTimeout(kill, MAX_RUN_MS);
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  const exit = await program.exited;
  signal.removeEventListener('abort', kill);
  clearTimeout(timer);
  signal.throwIfAborted();
  return { exit, words: engineErrorText(program.lastOutput, tree) };
}
