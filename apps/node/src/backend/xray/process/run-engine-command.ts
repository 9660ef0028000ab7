import type { JsonObject } from '../config/json-tree.js';
import { engineErrorText } from './engine-error-text.js';
import { EngineProcess, type Exit } from './engine-process.js';

/** Input of an engine command that reads a configuration without running it. */
export interface EngineCommandInput {
  /** Path of the engine's executable. */
  readonly path: string;
  /** The same wrapper as for the engine's own process. */
  readonly wrapper?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly text: string;
  /** The tree that the text was rendered from; its secrets are removed from error texts. */
  readonly tree: JsonObject;
  /** Aborting it ends the command, which then fails with the signal's reason. */
  readonly signal: AbortSignal;
}

const MAX_RUN_MS = 20_000;

/** Runs the command, and resolves with its exit and error text. Fails with the signal's reason when that is aborted. */
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
