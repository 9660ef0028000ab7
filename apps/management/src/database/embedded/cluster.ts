import { randomBytes } from 'node:crypto';
import {
  chown,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Account, ServerAccount } from './account.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { Launcher } from './launcher.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** The name of the superuser, and of the database. */
export const RAMPART = 'rampart';

const SOCKET_FILE = '.s.PGSQL.5432';
const FAR_SOCKET_DIRECTORY = join(tmpdir(), 'rampart-postgres-');
const SOCKET_PATH_BYTES = 100;

/**
 * The directories of the embedded database. Management owns the outer directory, the account of the server owns what is
 * in it.
 */
export interface ClusterPaths {
  directory: string;
  cluster: string;
  password: string;
}

export function clusterPaths(directory: string): ClusterPaths {
  return { directory, cluster: join(directory, 'cluster'), password: join(directory, 'password') };
}

/** Refuses a cluster of another major version, whose files this version cannot read. */
export async function checkVersion({ cluster }: ClusterPaths, version: string): Promise<void> {
  const found = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(ignoreMissing))?.trim();
  const major = version.split('.', 1)[0];
  if (found === undefined || found === major) return;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was created by PostgreSQL ${found}, but this is PostgreSQL ${version}. ` +
      `Dump it with PostgreSQL ${found} and restore it into an empty directory (RAMPART_DATA_DIR).`,
  );
}

/** Creates the cluster unless it exists, and returns its password. It gets its final name only when it is complete. */
export async function ensureCluster(
  paths: ClusterPaths,
  launcher: Launcher,
  binaries: PostgresBinaries,
  account: ServerAccount | undefined,
  log: (line: string) => void,
): Promise<string> {
  const { cluster } = paths;
  if (await stat(join(cluster, 'PG_VERSION')).catch(ignoreMissing)) {
    const password = await readPassword(paths);
    await giveCluster(paths, cluster, account);
    return password;
  }
  const creator = account?.creator ?? account;
  log(`creating the database in ${cluster}`);
  const password = randomBytes(24).toString('base64url');
  await writeFile(paths.password, `${password}\n`, { mode: 0o600 });
  await give(paths.password, creator);
  const unfinished = `${cluster}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await give(unfinished, creator);
  const tool = creator === account ? launcher : await Launcher.find(binaries, paths.directory, creator);
  const child = tool.spawn(binaries.initdb, [
    ...['--pgdata', unfinished, '--username', RAMPART, '--pwfile', paths.password, '--auth', 'scram-sha-256'],
    // The builtin locale provider sorts alike on every machine. Orders of C libraries change between versions, which
    // corrupts indexes.
    ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
    '--no-instructions',
  ]);
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [errors, code] = await Promise.all([text(child.stderr!), ended]);
  if (code !== 0) throw new EmbeddedPostgresError(`Cannot create the database in ${cluster}: ${errors.trim()}`);
  await giveCluster(paths, unfinished, account);
  await rename(unfinished, cluster);
  return password;
}

/** Gives files that another account has made to that of the server. Links are not followed. */
async function giveCluster(
  { password }: ClusterPaths,
  cluster: string,
  account: ServerAccount | undefined,
): Promise<void> {
  if (account === undefined || (await stat(cluster)).uid === account.uid) return;
  await give(password, account);
  const entries = await readdir(cluster, { recursive: true });
  // The folder comes last, as it tells whether all were given.
  for (const entry of [...entries, '.']) await lchown(join(cluster, entry), account.uid, account.gid);
}

/** The password of the superuser, which lies beside the cluster. */
export async function readPassword({ password }: ClusterPaths): Promise<string> {
  const text = await readFile(password, 'utf8').catch(ignoreMissing);
  if (text) return text.trim();
  throw new EmbeddedPostgresError(
    `The password file ${password} of the database beside it is missing or empty. Restore it from a backup.`,
  );
}

/** The directory of the server's socket, or a link to it. */
export const socketDirectory = ({ directory }: ClusterPaths): string => join(directory, 'socket');

/**
 * Creates a new directory for the server's socket: `socket` in the data directory. Where that path is too long for a
 * socket, `socket` is a link to a private directory elsewhere.
 */
export async function makeSocketDirectory(paths: ClusterPaths, account: Account | undefined): Promise<string> {
  await removeSocketDirectory(paths);
  const near = socketDirectory(paths);
  const fits = Buffer.byteLength(join(near, SOCKET_FILE)) < SOCKET_PATH_BYTES;
  const chosen = fits ? near : await mkdtemp(FAR_SOCKET_DIRECTORY);
  if (fits) await mkdir(near, { mode: 0o700 });
  else await symlink(chosen, near);
  await give(chosen, account);
  return chosen;
}

export async function removeSocketDirectory(paths: ClusterPaths): Promise<void> {
  const near = socketDirectory(paths);
  const far = await readlink(near).catch(() => '');
  if (far.startsWith(FAR_SOCKET_DIRECTORY)) await rm(far, { recursive: true, force: true });
  await rm(near, { recursive: true, force: true });
}

async function give(path: string, account: Account | undefined): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
