import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@rampart/program';
import { NodeError } from '../../../errors/node-error.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** Maximum length of the path of a unix socket in bytes. */
const MAX_PATH_BYTES = 107;
/** File systems in memory: they accept files when disks do not. */
const MEMORY_FILE_SYSTEMS = ['/run', '/dev/shm'];

interface DirectoryPlace {
  readonly base: string;
  /** Prefix of the names of this node's directories there. */
  readonly prefix: string;
  /** Whether the base directory belongs to the node, which creates it when it is missing. */
  readonly own: boolean;
}

/** Possible locations: the data directory, then the temporary directory, then memory. */
function directoryPlaces(dataDir: string): DirectoryPlace[] {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const shared = new Set([tmpdir(), ...MEMORY_FILE_SYSTEMS]);
  return [
    { base: join(dataDir, 'run'), prefix: 'run-', own: true },
    ...[...shared].map((base) => ({ base, prefix: `rampart-${name}-`, own: false })),
  ];
}

function fitsSocketPath({ base, prefix }: DirectoryPlace, inner: string): boolean {
  return Buffer.byteLength(join(base, `${prefix}abcdef`, inner, 'api.sock')) <= MAX_PATH_BYTES;
}

/** A directory inside a run directory, see `createRunDirectory`. */
const INNER = 'api';

/** The directory of the engine inside a run directory that belongs to the node. */
export function engineDirectory(runDirectory: string): string {
  return join(runDirectory, INNER);
}

/** The data directory of the node, and the rights of the engine, which must be able to use the directories too. */
export interface DirectoryOwner {
  readonly dataDir: string;
  readonly rights?: EngineRights | undefined;
}

/**
 * Creates a directory for one run of the engine that only its account and the node can enter. It uses the first
 * location that works, since the disk of the data directory may be full or read-only. With `nested` the directory
 * belongs to the node alone, and only the one inside it (`engineDirectory`) to the engine. START_FAILED lists the
 * problem of each location.
 */
export async function createRunDirectory(dataDir: string, rights?: EngineRights, nested = false): Promise<string> {
  const problems: string[] = [];
  for (const place of directoryPlaces(dataDir)) {
    if (!fitsSocketPath(place, nested ? INNER : '')) problems.push(`${place.base} is too deep for a socket`);
    else {
      try {
        return await createIn(place, rights, nested);
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
  }
  throw new NodeError('START_FAILED', `there is no place for the engine's socket: ${problems.join('; ')}`);
}

/**
 * Runs `work` in a directory that only the engine's account and the node can enter, and removes it. Memory is tried
 * first; when `work` returns a problem, the next location is tried. START_FAILED when none works.
 */
export async function withScratchDirectory<T>(
  { dataDir, rights }: DirectoryOwner,
  work: (directory: string) => Promise<{ result: T } | { problem: string }>,
): Promise<T> {
  const problems: string[] = [];
  for (const place of directoryPlaces(dataDir).reverse()) {
    let directory: string | undefined;
    try {
      directory = await createIn(place, rights);
    } catch (error) {
      problems.push(messageOf(error));
      continue;
    }
    try {
      const outcome = await work(directory);
      if ('result' in outcome) return outcome.result;
      problems.push(outcome.problem);
    } finally {
      await removeRunDirectory(directory);
    }
  }
  throw new NodeError('START_FAILED', `there is no place for the engine's configuration: ${problems.join('; ')}`);
}

/** Never fails: files that a broken disk keeps do no harm, and are removed when a node starts on it again. */
export async function removeRunDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true }).catch(() => undefined);
}

/** Directories that runs of an earlier node left behind, in all locations. */
export async function leftRunDirectories(dataDir: string, rights?: EngineRights): Promise<string[]> {
  const found: string[] = [];
  for (const { base, prefix, own } of directoryPlaces(dataDir)) {
    const names = await readdir(base).catch(() => []);
    const left = names.filter((name) => name.startsWith(prefix)).map((name) => join(base, name));
    for (const directory of left) if (own || (await isOurs(directory, rights))) found.push(directory);
  }
  return found;
}

/**
 * Removes directories that runs of a dead node left behind, except for `kept`. Must not be called while another engine
 * runs. Errors are ignored.
 */
export async function clearRunDirectories(
  dataDir: string,
  rights?: EngineRights,
  kept: readonly string[] = [],
): Promise<void> {
  for (const directory of await leftRunDirectories(dataDir, rights))
    if (!kept.includes(directory)) await removeRunDirectory(directory);
}

async function createIn(
  { base, prefix, own }: DirectoryPlace,
  rights: EngineRights | undefined,
  nested = false,
): Promise<string> {
  const account = rights?.account;
  // The engine's account must be able to pass through the directory, but not to list it.
  const passable = account === undefined ? 0o700 : 0o711;
  if (own) await mkdir(base, { recursive: true, mode: passable });
  const directory = await mkdtemp(join(base, prefix));
  const engines = nested ? engineDirectory(directory) : directory;
  try {
    if (nested) {
      await chmod(directory, passable);
      await mkdir(engines, { mode: 0o700 });
    }
    if (rights === undefined || account === undefined) return directory;
    await chown(engines, account.uid, account.gid);
    if (await rights.canAccess('write', engines)) return directory;
    throw new Error(`${rights.name} cannot come to ${base}`);
  } catch (error) {
    await removeRunDirectory(directory);
    throw error;
  }
}

/**
 * Whether a directory belongs to the node or its engine: any user may create one of this name in a shared directory.
 */
async function isOurs(directory: string, rights: EngineRights | undefined): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined);
  return found?.isDirectory() === true && [process.getuid?.(), rights?.account?.uid].includes(found.uid);
}
