import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { openDatabase } from '../app/open-database.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { createDatabase } from '../testing/migrated-database.js';
import type { RoleUrls } from '../testing/worker-server.js';
import { CompiledConfig, raiseConfigVersion } from './config-version.js';
import { Counter } from './counter.entity.js';
import { migrate } from './migrate.js';
import { currentRevision, nextRevision, REVISION_CHANNEL } from './revision.js';
import { SchemaError } from './schema-version.js';

let server: RoleUrls;
let database: DataSource;
beforeAll(async () => {
  server = await createDatabase('empty');
  database = createDataSource(server.url);
  await database.initialize();
});
afterAll(async () => {
  await database?.destroy();
});

describe('migrations', () => {
  it('run once when several replicas start together', async () => {
    const replicas = [1, 2, 3].map(() => createDataSource(server.url));
    await Promise.all(replicas.map((replica) => replica.initialize().then(migrate)));
    const ran = await database.query('SELECT name FROM migrations');
    expect(ran.map(({ name }: { name: string }) => name).sort()).toEqual(
      database.migrations.map((migration) => migration.constructor.name).sort(),
    );
    await Promise.all(replicas.map((replica) => replica.destroy()));
  });

  it('make exactly the tables that the entities describe', async () => {
    const { upQueries } = await database.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can be undone and run again', async () => {
    for (const _ of database.migrations) await database.undoLastMigration();
    expect(
      await database.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`),
    ).toEqual([]);
    await migrate(database);
    expect(await database.query(`SELECT value FROM counters WHERE name = 'config'`)).toEqual([{ value: '1' }]);
  });
});

describe('a schema that this program does not know', () => {
  afterEach(() => database.query(`DELETE FROM migrations WHERE name LIKE 'Unknown%'`));

  it.each([
    [
      9999999999999,
      (own: string) =>
        `The database has schema 9999999999999, which is newer than ${own}. ` +
        'Start the newer version again, or restore a backup of the database from before the update.',
    ],
    [
      1000000000000,
      (own: string) =>
        `The database has schema 1000000000000 (Unknown1000000000000), which ${own} does not know. ` +
        'Start the version that made it, or use an empty database.',
    ],
  ])('stops the start with both versions in the message, and stays unchanged: %i', async (timestamp, message) => {
    const newest = database.migrations
      .map((migration) => migration.constructor.name.slice(-13))
      .sort()
      .at(-1);
    await database.query('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [
      timestamp,
      `Unknown${timestamp}`,
    ]);
    const before = await database.query('SELECT name FROM migrations ORDER BY id');
    const opened = openDatabase({ databaseUrl: server.url, dataDir: '/nonexistent' }, () => undefined);
    await expect(opened).rejects.toThrow(
      new SchemaError(message(`this program (version ${MANAGEMENT_VERSION}, schema ${newest})`)),
    );
    expect(await database.query('SELECT name FROM migrations ORDER BY id')).toEqual(before);
  });
});

describe(nextRevision.name, () => {
  it('returns numbers that become visible in order', async () => {
    const before = await currentRevision(database.manager);
    const order: string[] = [];
    const release = signal();
    const taken = signal();
    const first = database.transaction(async (manager) => {
      expect(await nextRevision(manager)).toBe(before + 1n);
      taken.resolve();
      await release.promise;
      order.push('first');
    });
    await taken.promise;
    const second = database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      order.push('second');
      return revision;
    });
    await waitForLock();
    expect(await currentRevision(database.manager)).toBe(before);
    release.resolve();
    await first;
    expect(await second).toBe(before + 2n);
    expect(order).toEqual(['first', 'second']);
  });

  it('is announced when its transaction commits, and not when it does not', async () => {
    const listener = new pg.Client(server.url);
    await listener.connect();
    const received: unknown[] = [];
    const done = new Promise<void>((resolve) =>
      listener.on('notification', ({ channel, payload }) => {
        if (channel === 'done') resolve();
        else received.push([channel, payload]);
      }),
    );
    await listener.query(`LISTEN ${REVISION_CHANNEL}; LISTEN done`);
    const refused = database.transaction(async (manager) => {
      await nextRevision(manager);
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    const revision = await database.transaction(nextRevision);
    await database.query('NOTIFY done');
    await done;
    expect(received).toEqual([[REVISION_CHANNEL, String(revision)]]);
    await listener.end();
  });
});

describe(CompiledConfig.name, () => {
  it('builds once for concurrent callers, and again only after a change', async () => {
    let builds = 0;
    const catalogue = new CompiledConfig(database, async (_manager, version) => {
      builds += 1;
      return version;
    });
    const version = async () => (await database.manager.findOneByOrFail(Counter, { name: 'config' })).value;
    const before = await version();
    expect(await Promise.all([1, 2, 3].map(() => catalogue.atLeast(before)))).toEqual([before, before, before]);
    expect(builds).toBe(1);
    await database.transaction(raiseConfigVersion);
    expect(await catalogue.atLeast(await version())).toBe(before + 1n);
    expect(await catalogue.atLeast(before)).toBe(before + 1n);
    expect(builds).toBe(2);
  });
});

describe('a transaction', () => {
  it('starts on another connection when its own was lost', async () => {
    const ready = signal();
    const open = Array.from({ length: 3 }, () => database.transaction(() => ready.promise));
    ready.resolve();
    await Promise.all(open);
    const other = new pg.Client(server.url);
    await other.connect();
    await other.query(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'rampart-writes'",
    );
    const [row] = await database.transaction((manager) => manager.query('SELECT 1 AS one'));
    expect(row).toEqual({ one: 1 });
    await other.end();
  });
});

describe(openDatabase.name, () => {
  const open = (databaseUrl: string) => openDatabase({ databaseUrl, dataDir: '/nonexistent' }, () => undefined);

  it('reports that no server answers, without the password', async () => {
    await expect(open('postgresql://rampart:hunter2@127.0.0.1:1/rampart')).rejects.toThrow(
      new Error('DATABASE_URL: no PostgreSQL server answers at 127.0.0.1:1 (ECONNREFUSED)'),
    );
  });

  it('reports that the database does not exist', async () => {
    await expect(open(server.url.replace(/@\/\w+\?/, '@/elsewhere?'))).rejects.toThrow(
      /^DATABASE_URL: \/\S+ has no database "elsewhere"$/,
    );
  });

  it('reports that the password is wrong', async () => {
    await expect(open(server.url.replace(/:[^:@]+@/, ':hunter2@'))).rejects.toThrow(
      /^DATABASE_URL: \/\S+ refuses the user "rampart_owner" or its password$/,
    );
  });
});

async function waitForLock(): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const [row] = await database.query(`SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted`);
    if (row.waiting > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('nothing waits for a lock');
}

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
