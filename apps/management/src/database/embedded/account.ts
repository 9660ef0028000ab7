import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** The account under which a process runs. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const PASSWD = '/etc/passwd';

async function accounts(): Promise<Account[]> {
  const lines = (await readFile(PASSWD, 'utf8')).split('\n');
  return lines
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }));
}

/**
 * The account for PostgreSQL, which refuses to run as root: the owner of the existing cluster, else `postgres`, else
 * `nobody`. Undefined when this process is not root and runs the server under its own account.
 */
export async function postgresAccount(cluster: string): Promise<Account | undefined> {
  const self = process.getuid?.();
  const owner = await stat(cluster).catch(() => undefined);
  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new EmbeddedPostgresError(
        `The database in ${cluster} belongs to uid ${owner.uid}, but this process runs as uid ${self}. ` +
          'Run it as that user, or name another directory in RAMPART_DATA_DIR.',
      );
    }
    return undefined;
  }
  const known = await accounts();
  if (owner?.uid === 0) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} belongs to root, and PostgreSQL refuses to run as root. ` +
        `Give it to the account that ran it before, for example: chown -R ${unprivileged(known)?.name ?? 'nobody'} ${cluster}`,
    );
  }
  if (owner)
    return known.find(({ uid }) => uid === owner.uid) ?? { name: `${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const account = unprivileged(known);
  if (!account) {
    throw new EmbeddedPostgresError(
      `PostgreSQL refuses to run as root, and ${PASSWD} has neither an account "postgres" nor "nobody". ` +
        'Run as another user, or name a PostgreSQL server in DATABASE_URL.',
    );
  }
  return account;
}

function unprivileged(known: readonly Account[]): Account | undefined {
  return ['postgres', 'nobody']
    .map((wanted) => known.find(({ name, uid }) => name === wanted && uid !== 0))
    .find(Boolean);
}

/** The outermost directory on the way to `path` that the account cannot pass through, judged by its mode bits. */
export async function blockedDirectory(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path);
  if (parent === path) return undefined;
  const above = await blockedDirectory(parent, account);
  if (above) return above;
  const { mode, uid, gid } = await stat(parent);
  const search = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  return mode & search ? undefined : parent;
}
