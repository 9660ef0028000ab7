import { stat } from 'node:fs/promises';
import { NodeError } from '../../../errors/node-error.js';
import type { Capability } from '../config/capabilities.js';
import { commandErrorText, type EngineRights } from './engine-rights.js';

const known = new Set<string>();

/**
 * START_FAILED, with advice, when a program that runs for the node does not run with the engine's rights. Checked once
 * per file.
 */
export async function checkRunnable(path: string, rights: EngineRights, needed: readonly Capability[]): Promise<void> {
  const { ino, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  const key = [path, ino, mtimeNs, ctimeNs, ...rights.wrapper(needed)].join('\0');
  if (known.has(key)) return;
  try {
    await rights.runAsEngine([path, 'version'], needed);
  } catch (cause) {
    const reason = commandErrorText(cause);
    const advice = /not permitted/.test(reason)
      ? `: its file capabilities are more than the node gives; take them away (setcap -r ${path}), the node gives the engine what it needs`
      : '';
    throw new NodeError('START_FAILED', `${rights.name} cannot run ${path} (${reason})${advice}`, { cause });
  }
  known.add(key);
}
