import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeError } from '../../../errors/node-error.js';
import type { JsonObject } from '../config/json-tree.js';
import { EngineProcess, exitText } from './engine-process.js';
import { engineWords } from './engine-words.js';

const TIMEOUT_MS = 20_000;

/** Lets the engine turn a configuration into its own form, by way of a file that nobody else can read. */
export async function convertConfig({
  path,
  environment,
  text,
  tree,
  dir,
}: {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly text: string;
  /** What the text was made of, whose secrets no error may tell. */
  readonly tree: JsonObject;
  /** Of this account alone. */
  readonly dir: string;
}): Promise<Uint8Array> {
  const own = await mkdtemp(join(dir, 'convert-'));
  const file = join(own, 'config.pb');
  try {
    await (await open(file, 'wx', 0o600)).close();
    const convert = new EngineProcess({
      path,
      args: ['convert', 'pb', '-o', file, 'stdin:'],
      environment,
      wrapper: [],
      stdin: text,
    });
    const timer = setTimeout(() => convert.kill('SIGKILL'), TIMEOUT_MS);
    const exit = await convert.exited;
    clearTimeout(timer);
    if (exit.code === 0) return await readFile(file);
    const words = engineWords(convert.output, tree);
    throw new NodeError('START_FAILED', `the engine ${exitText(exit)} while reading the configuration: ${words}`);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
