import { constants } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@rampart/program';
import type { Processes } from './processes.js';
import { watchSources } from './source-watcher.js';

/** What `npm run dev` adds to the quick start. */
export interface Development {
  /** Environment variables of both programs. */
  readonly env: NodeJS.ProcessEnv;
  /** The files that run the programs. */
  readonly mains: Readonly<Record<App, string>>;
  close(): Promise<void>;
}

type App = 'management' | 'node';

interface Database {
  readonly url: string;
  readonly serviceUrl: string;
  stop(): Promise<void>;
}

/** `DevelopmentBundle` of tools/bundle. */
interface Bundle {
  readonly main: string;
  rebuild(changed: readonly string[]): Promise<boolean>;
}

/**
 * Starts what outlives the restarts of the programs: the database, the bundler of changed sources, and the type checker. The
 * database is the one that management would start in the data folder, unless DATABASE_URL names another.
 *
 * @param names the names under which the programs run in `processes`.
 */
export async function startDevelopment(
  root: string,
  dataDir: string,
  processes: Processes,
  names: Readonly<Record<App, string>>,
): Promise<Development> {
  const { DevelopmentBundle } = await import(join(root, 'tools/bundle/src/development-bundle.mjs'));
  const node: Bundle = await DevelopmentBundle.create('node');
  const management: Bundle = await DevelopmentBundle.create('management');
  const bundles = { node, management };
  const database = process.env.DATABASE_URL === undefined ? await startDatabase(root, dataDir) : undefined;
  const endWatch = await watchSources(root, async (changed) => {
    for (const app of ['management', 'node'] as const) {
      try {
        if (await bundles[app].rebuild(changed)) processes.restart(names[app]);
      } catch (error) {
        console.error(`${names[app]} runs on as it was:\n${messageOf(error)}`);
      }
    }
  });
  processes.start(
    'The type checker',
    join(root, 'node_modules/typescript/bin/tsc'),
    {},
    {
      args: ['--project', join(root, 'tsconfig.specs.json'), '--watch', '--preserveWatchOutput'],
      // A program that restarts comes first.
      priority: constants.priority.PRIORITY_LOW,
    },
  );
  return {
    env: database === undefined ? {} : { DATABASE_URL: database.serviceUrl, DATABASE_OWNER_URL: database.url },
    mains: { node: node.main, management: management.main },
    close: async () => {
      await endWatch();
      await database?.stop();
    },
  };
}

async function startDatabase(root: string, dataDir: string): Promise<Database> {
  const { EmbeddedPostgres } = await import(join(root, 'apps/management/dist/database/embedded/embedded-postgres.js'));
  return EmbeddedPostgres.start({ dataDir: join(dataDir, 'management/postgres'), log: () => undefined });
}
