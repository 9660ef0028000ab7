import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { renderConfig } from '../config/plan/render-config.js';
import type { EngineRights } from '../rights/engine-rights.js';
import type { DesiredState } from './desired-state.js';

/** The same for all runs: what differs between runs of one configuration does not count. */
const NO_CHANNEL = { tag: '', inboundTag: '', socketPath: '' };

/**
 * Digest of what an engine is started with, except for the users: its program file, its configuration with the node's
 * edits, its rights, its environment and the time for which it may run without a node. An engine with another digest
 * has to be replaced.
 */
export async function engineDigest(
  { located, plan }: Pick<DesiredState, 'located' | 'plan'>,
  rights: EngineRights,
  { environment, keepSeconds }: { environment: Readonly<Record<string, string>>; keepSeconds: number },
): Promise<string> {
  const path = await realpath(located.path);
  const { size, mtimeMs } = await stat(path);
  const program = [path, size, mtimeMs, located.version];
  const config = renderConfig(plan, NO_CHANNEL, () => []);
  const parts = [program, config, rights.wrapper(plan.capabilities), Object.entries(environment).sort(), keepSeconds];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
