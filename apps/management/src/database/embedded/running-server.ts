import { realpath } from 'node:fs/promises';
import { clusterPaths, RAMPART, readPassword, socketDirectory } from './cluster.js';
import { urlOf } from './embedded-postgres.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { isOwned } from './owner-lock.js';
import { OWNER } from './roles.js';

/** The URL of the owner's role on the server that a running management has started in this directory; undefined while none owns it. */
export async function runningServerUrl(dataDir: string): Promise<string | undefined> {
  const directory = await realpath(dataDir).catch(() => undefined);
  if (directory === undefined || !(await isOwned(directory))) return undefined;
  const paths = clusterPaths(directory);
  const host = await realpath(socketDirectory(paths)).catch(() => {
    throw new EmbeddedPostgresError(`The database in ${directory} is being started: try again in a moment`);
  });
  return urlOf({ host, port: 5432, user: RAMPART, password: await readPassword(paths), database: RAMPART }, OWNER);
}
