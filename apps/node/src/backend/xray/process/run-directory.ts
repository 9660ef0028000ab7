import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeError } from '../../../errors/node-error.js';

/** The longest path of a unix socket. */
const MAX_PATH_BYTES = 107;

/** What the directories of a node's runs begin with. Where its own directory is too deep, among the temporary ones. */
function beginningOf(dataDir: string): { base: string; prefix: string } {
  const own = { base: join(dataDir, 'run'), prefix: 'run-' };
  if (fits(own)) return own;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  return { base: tmpdir(), prefix: `rampart-${name}-` };
}

function fits({ base, prefix }: { base: string; prefix: string }): boolean {
  return Buffer.byteLength(join(base, `${prefix}abcdef`, 'api.sock')) <= MAX_PATH_BYTES;
}

/** A directory for one run of the engine that only this account can enter. START_FAILED when there can be none. */
export async function createRunDirectory(dataDir: string): Promise<string> {
  const beginning = beginningOf(dataDir);
  if (!fits(beginning)) {
    throw new NodeError('START_FAILED', `${dataDir} and ${tmpdir()} are both too deep for a socket: use a shorter one`);
  }
  const { base, prefix } = beginning;
  try {
    await mkdir(base, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(base, prefix));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NodeError('START_FAILED', `there is no place for the engine's socket: ${reason}`, { cause });
  }
}

/** Removes what runs of a dead node left. Not while an engine runs. What cannot be removed is not in the way. */
export async function clearRunDirectories(dataDir: string): Promise<void> {
  const { base, prefix } = beginningOf(dataDir);
  const names = await readdir(base).catch(() => []);
  const left = names.filter((name) => name.startsWith(prefix));
  await Promise.allSettled(left.map((name) => rm(join(base, name), { recursive: true, force: true })));
}
