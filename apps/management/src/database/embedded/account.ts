import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** The account under which a process runs. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** The account of the server, and the one that creates its files where that is another. */
export interface ServerAccount extends Account {
  creator?: Account;
}

/** The file of the accounts of this machine. */
const PASSWD = '/etc/passwd';
/** Where there is no account `postgres`. No other program has this uid; a node's engine has the one before. */
const OWN = { name: 'uid 61081', uid: 61_081, gid: 61_081 };
/** `initdb` takes only an account with a name: the first of these, of which the first two hardly run anything. */
const CREATORS = ['bin', 'daemon', 'nobody'];
/** What runs under it could read and change the database. */
const SHARED = 'nobody';

async function accounts(passwd: string): Promise<Account[]> {
  const lines = (await readFile(passwd, 'utf8')).split('\n');
  return lines
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }));
}

/**
 * The account for PostgreSQL, which refuses to run as root: the owner of the existing cluster unless that is `nobody`, else
 * `postgres`, else one of its own. Undefined when this process is not root and runs the server under its own account.
 */
export async function postgresAccount(cluster: string, passwd = PASSWD): Promise<ServerAccount | undefined> {
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
  const known = await accounts(passwd);
  const account = known.find(({ name, uid }) => name === 'postgres' && uid !== 0);
  if (owner?.uid === 0) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} belongs to root, and PostgreSQL refuses to run as root. ` +
        `Give it to the account that ran it before, for example: chown -R ${account?.name ?? `${OWN.uid}:${OWN.gid}`} ${cluster}`,
    );
  }
  if (owner && owner.uid !== known.find(({ name }) => name === SHARED)?.uid)
    return known.find(({ uid }) => uid === owner.uid) ?? { name: `${owner.uid}`, uid: owner.uid, gid: owner.gid };
  if (account) return account;
  const creator = CREATORS.map((wanted) => known.find(({ name, uid }) => name === wanted && uid !== 0)).find(Boolean);
  if (creator) return { ...OWN, creator };
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and ${passwd} has none of the accounts ${['postgres', ...CREATORS].join(', ')}. ` +
      'Run as another user, or name a PostgreSQL server in DATABASE_URL.',
  );
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
