import { NodeError } from '../../../errors/node-error.js';
import type { JsonObject } from '../config/json-tree.js';
import { EngineProcess, exitText } from './engine-process.js';
import { engineWords } from './engine-words.js';

const TIMEOUT_MS = 20_000;
const CONFIG_EXIT_CODE = 23;
const PANIC_EXIT_CODE = 2;

/** Lets the engine judge a configuration without running it. CONFIG_REFUSED with its own words. */
export async function checkConfig(
  path: string,
  environment: Readonly<Record<string, string>>,
  text: string,
  tree: JsonObject,
): Promise<void> {
  const check = new EngineProcess({
    path,
    args: ['run', '-test', '-c', 'stdin:'],
    environment,
    wrapper: [],
    stdin: text,
  });
  const timer = setTimeout(() => check.kill('SIGKILL'), TIMEOUT_MS);
  const exit = await check.exited;
  clearTimeout(timer);
  if (exit.code === 0) return;
  if (exit.code === PANIC_EXIT_CODE)
    throw new NodeError('CONFIG_REFUSED', 'the engine crashes when it reads the configuration');
  const words = engineWords(check.output, tree);
  if (exit.code === CONFIG_EXIT_CODE)
    throw new NodeError('CONFIG_REFUSED', `the engine refuses the configuration: ${words}`);
  throw new NodeError('START_FAILED', `the engine ${exitText(exit)} while checking the configuration: ${words}`);
}
