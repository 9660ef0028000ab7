import { randomBytes } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../process/operator-error.js';
import { type Check, ok, warning, wrong } from './check.js';

const GIBIBYTE = 2 ** 30;
const SCARCE_BYTES = GIBIBYTE / 2;
const SCARCE_SHARE = 0.05;
/** What a program must be able to write at any time. */
const PROBE_BYTES = 2 ** 20;

const ADVICE = 'Delete what is not needed, or move the folder to a larger disk.';

/**
 * Checks that a folder can be written and has space. It writes a file there and deletes it.
 *
 * @param setting the environment variable that holds the folder.
 */
export async function checkDisk(name: string, folder: string, setting: string): Promise<Check> {
  const probe = join(folder, `.doctor-${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flush: true });
  } catch (error) {
    const advice = isFull(error) ? ADVICE : `Let this account write there, or set ${setting} to another folder.`;
    return wrong(name, `${folder} cannot be written: ${messageOf(error)}`, advice);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
  const [free, all] = [bavail * bsize, blocks * bsize];
  const seen = `${folder} has ${gibibytes(free)} of ${gibibytes(all)} GiB free`;
  if (files > 0 && ffree / files < SCARCE_SHARE)
    return warning(name, `${folder} has few inodes left: ${ffree} of ${files}`, ADVICE);
  if (free < SCARCE_BYTES || free / all < SCARCE_SHARE) return warning(name, seen, ADVICE);
  return ok(name, seen);
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(Reflect.get(Object(error), 'code'));
const gibibytes = (bytes: number): string => (bytes / GIBIBYTE).toFixed(1);
