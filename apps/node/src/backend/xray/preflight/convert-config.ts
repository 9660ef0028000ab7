import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeError } from '../../../errors/node-error.js';
import { describeExit } from '../process/engine-process.js';
import { withScratchDirectory } from '../process/run-directory.js';
import { type EngineCommandInput, runEngineCommand } from '../process/run-engine-command.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** The engine's message when the file cannot be written; the configuration may be valid. */
const WRITE_FAILURE = /failed to (?:create|write) proto file: .*/;

/**
 * Lets the engine convert a configuration to protobuf, through a file that only the node and the engine can read, in
 * memory if possible. START_FAILED when it cannot.
 */
export function convertConfig(
  question: EngineCommandInput,
  dataDir: string,
  rights?: EngineRights,
): Promise<Uint8Array> {
  return withScratchDirectory<Uint8Array>({ dataDir, rights }, async (directory) => {
    const file = join(directory, 'config.pb');
    const { exit, words } = await runEngineCommand(question, ['convert', 'pb', '-o', file, 'stdin:']);
    if (exit.code === 0) return { result: await readFile(file) };
    const [problem] = WRITE_FAILURE.exec(words) ?? [];
    if (problem !== undefined) return { problem };
    throw new NodeError('START_FAILED', `the engine ${describeExit(exit)} while reading the configuration: ${words}`);
  });
}
