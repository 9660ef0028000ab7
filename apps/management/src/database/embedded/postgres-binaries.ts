import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** Absolute paths of the programs of PostgreSQL. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

const require = createRequire(import.meta.url);

/**
 * Finds the programs that the package manager installed for this platform. @throws EmbeddedPostgresError where there
 * are none
 */
export function findPostgresBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): PostgresBinaries {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    // Only `embedded-postgres` depends on the platform package, so it is resolved from there.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const bin = resolve(entry, '../../native/bin');
    return { initdb: resolve(bin, 'initdb'), postgres: resolve(bin, 'postgres') };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `No embedded PostgreSQL for ${platform}-${arch} (package ${name} is not installed). ` +
        'Name a PostgreSQL server in DATABASE_URL instead.',
      { cause },
    );
  }
}
