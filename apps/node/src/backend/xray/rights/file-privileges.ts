import { readFile } from 'node:fs/promises';
import type { Capability } from '../config/capabilities.js';
import { capabilityBits, type EngineRights, parseCapabilities } from './engine-rights.js';

/** Entry of the auxiliary vector: whether the kernel treats the process as one that gained privileges. */
const AT_SECURE = 23n;

/**
 * Whether the engine's executable has file privileges of its own. Linux then hides the process from the node, does not
 * end it with the node, and removes the capabilities that the node gave. Returns a warning for operators, if so.
 */
export async function filePrivilegeWarning(
  pid: number | undefined,
  path: string,
  rights: EngineRights,
  needed: readonly Capability[],
): Promise<string | undefined> {
  const advice = `take them away (setcap -r ${path}): the node gives the engine what it needs`;
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  // Without this file the process has ended, or the system has no /proc.
  if (status === undefined) return undefined;
  const secure = await isSecureExecution(pid);
  if (secure === undefined && !(await rights.canAccess('read', `/proc/${pid}/environ`)))
    return `${path} has file capabilities that hide the engine's process from the node, which does not see what a dead node left and when connections end; ${advice}`;
  if (secure) return `${path} has file capabilities: the engine lives on when the node is killed; ${advice}`;
  const capabilities = capabilityBits(rights.granted(needed));
  if ((parseCapabilities(status, 'CapPrm') & capabilities) !== capabilities)
    return `${path} has file capabilities that take away those which the node gives; ${advice}`;
  return undefined;
}

/** Whether the process runs with AT_SECURE set; undefined where the node may not read that. */
async function isSecureExecution(pid: number | undefined): Promise<boolean | undefined> {
  const vector = await readFile(`/proc/${pid}/auxv`).catch(() => undefined);
  if (vector === undefined) return undefined;
  for (let at = 0; at + 16 <= vector.length; at += 16) {
    if (vector.readBigUInt64LE(at) === AT_SECURE) return vector.readBigUInt64LE(at + 8) !== 0n;
  }
  return false;
}
