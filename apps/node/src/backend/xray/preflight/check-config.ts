import { NodeError } from '../../../errors/node-error.js';
import { describeExit } from '../process/engine-process.js';
import { type EngineCommandInput, runEngineCommand } from '../process/run-engine-command.js';

const CONFIG_EXIT_CODE = 23;
const PANIC_EXIT_CODE = 2;

/** Lets the engine check a configuration. CONFIG_REFUSED with the engine's error text. */
export async function checkConfig(question: EngineCommandInput): Promise<void> {
  const { exit, words } = await runEngineCommand(question, ['run', '-test', '-c', 'stdin:']);
  if (exit.code === 0) return;
  if (exit.code === PANIC_EXIT_CODE)
    throw new NodeError('CONFIG_REFUSED', 'the engine crashes when it reads the configuration');
  if (exit.code === CONFIG_EXIT_CODE)
    throw new NodeError('CONFIG_REFUSED', `the engine refuses the configuration: ${words}`);
  throw new NodeError('START_FAILED', `the engine ${describeExit(exit)} while checking the configuration: ${words}`);
}
