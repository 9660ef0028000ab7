import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeError } from '../../../errors/node-error.js';
import { exitText } from '../process/engine-process.js';
import { inScratchDirectory } from '../process/run-directory.js';
import { askEngine, type Question } from '../process/run-engine-command.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** What the engine says when the place is at fault and not the configuration. */
const NOT_WRITTEN = /failed to (?:create|write) proto file: .*/;

/**
 * Lets the engine turn a configuration into its own form, by way of a file that nobody else can read, in memory where
 * that can be. START_FAILED when it cannot.
 */
export function convertConfig(question: Question, dataDir: string, rights?: EngineRights): Promise<Uint8Array> {
  return inScratchDirectory<Uint8Array>({ dataDir, rights }, async (directory) => {
    const file = join(directory, 'config.pb');
    const { exit, words } = await askEngine(question, ['convert', 'pb', '-o', file, 'stdin:']);
    if (exit.code === 0) return { result: await readFile(file) };
    const [problem] = NOT_WRITTEN.exec(words) ?? [];
    if (problem !== undefined) return { problem };
    throw new NodeError('START_FAILED', `the engine ${exitText(exit)} while reading the configuration: ${words}`);
  });
}
