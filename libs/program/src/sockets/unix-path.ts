import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** Bytes of a path that every system accepts for a Unix socket; Linux takes 107, macOS 103. */
const MAX_BYTES = 100;

/**
 * Calls `use` with a path that is short enough for a Unix socket: the given one, else one through a link to its folder
 * that exists during the call.
 */
export async function withShortPath<T>(path: string, use: (short: string) => Promise<T>): Promise<T> {
  const full = resolve(path);
  if (Buffer.byteLength(full) <= MAX_BYTES) return use(full);
  const folder = await mkdtemp(join(tmpdir(), 'rampart-'));
  try {
    await symlink(dirname(full), join(folder, 'd'));
    return await use(join(folder, 'd', basename(full)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
