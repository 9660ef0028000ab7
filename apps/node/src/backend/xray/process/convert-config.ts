import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeError } from '../../../errors/node-error.js';
import { askEngine, type Question } from './ask-engine.js';
import { exitText } from './engine-process.js';

/**
 * Lets the engine turn a configuration into its own form, by way of a file in a directory that nobody else can enter.
 * START_FAILED when it cannot.
 */
export async function convertConfig(question: Question, dir: string): Promise<Uint8Array> {
  const file = join(dir, 'config.pb');
  try {
    const { exit, words } = await askEngine(question, ['convert', 'pb', '-o', file, 'stdin:']);
    if (exit.code === 0) return await readFile(file);
    throw new NodeError('START_FAILED', `the engine ${exitText(exit)} while reading the configuration: ${words}`);
  } finally {
    await rm(file, { force: true });
  }
}
