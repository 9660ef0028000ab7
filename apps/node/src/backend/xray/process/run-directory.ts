import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the longest path of a unix socket leaves for the directory that the runs' own directories are in. */
const MAX_BASE_BYTES = 107 - '/run-abcdef/api.sock'.length;

function baseOf(dataDir: string): string {
  return join(dataDir, 'run');
}

/** A directory for one run of the engine that only this account can enter. */
export async function createRunDirectory(dataDir: string): Promise<string> {
  const base = baseOf(dataDir);
  if (Buffer.byteLength(base) > MAX_BASE_BYTES) return mkdtemp(join(tmpdir(), 'run-'));
  await mkdir(base, { recursive: true, mode: 0o700 });
  return mkdtemp(join(base, 'run-'));
}

/** Removes what runs of a dead node left. Not while an engine runs. */
export async function clearRunDirectories(dataDir: string): Promise<void> {
  await rm(baseOf(dataDir), { recursive: true, force: true });
}
