import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { openDatabase } from '../app/open-database.js';
import { LEAF } from '../nodes/testing/certificates.js';
import { createDatabase, createEmptyDatabase } from '../testing/migrated-database.js';
import { PGBOUNCER, PgBouncer } from '../testing/pg-bouncer.js';
import { TestManagement } from '../testing/test-management.js';
import type { RoleUrls } from '../testing/worker-server.js';

const NODE = {
  name: 'far',
  address: '127.0.0.1',
  // No program listens on port 9 ("discard").
  port: 9,
  connection_type: 'grpc',
  server_ca: LEAF,
  keep_alive: 60,
  core_config_id: 1,
  api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
};
/** Server connections of the pooler: fewer than the service opens, so that its transactions alternate between them. */
const SERVER_CONNECTIONS = 3;

(PGBOUNCER ? describe : describe.skip)('PgBouncer in transaction mode (needs Debian package pgbouncer)', () => {
  let server: RoleUrls;
  let bouncer: PgBouncer;
  let management: TestManagement;
  let direct: DataSource;
  let links: string[];
  beforeAll(async () => {
    server = await createDatabase('empty');
    bouncer = await PgBouncer.before(server.url, SERVER_CONNECTIONS);
    management = await TestManagement.start({ DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: server.url });
    direct = await createDataSource(server.url).initialize();
    await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
    links = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { body } = await management.call('POST', '/api/user', { username: `user${index}`, group_ids: [1] });
        return new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
      }),
    );
  }, 60_000);
  afterAll(async () => {
    await management?.close();
    await direct?.destroy();
    await bouncer?.stop();
  });

  it('management behind a pooler serves reads, subscriptions and changes at the same time, without named statements', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([
        ...links.map((link) => management.call('GET', link)),
        ...links.map(() => management.call('GET', '/api/users?limit=20&load_sub=true')),
        ...links.map((_, index) => management.call('PUT', `/api/user/user${index}`, { note: `round ${round}` })),
      ]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
  });

  it('management behind a pooler sets the limits of a transaction for that transaction, and leaves none in the session', async () => {
    const { database } = management;
    const sql = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
      current_setting('idle_in_transaction_session_timeout') AS idle`;
    const inside = await Promise.all(
      Array.from({ length: 10 }, () => database.transaction((manager) => manager.query(sql))),
    );
    expect(inside).toEqual(Array(10).fill([{ statement: '30s', lock: '5s', idle: '30s' }]));
    const outside = await Promise.all(Array.from({ length: 10 }, () => database.query(sql)));
    expect(outside).toEqual(Array(10).fill([{ statement: '0', lock: '0', idle: '0' }]));
  });

  it('management behind a pooler holds the locks of nodes and receives notifications on direct connections', async () => {
    const { body } = await management.call('POST', '/api/node', NODE);
    const id = Reflect.get(Object(body), 'id');
    const holders = () =>
      direct.query(
        `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE locktype = 'advisory' AND objid = $1`,
        [id],
      );
    // The change is announced through the pooler. Without the announcement, a scan would find it after ten seconds.
    const began = performance.now();
    while ((await holders()).length === 0) expect(performance.now() - began).toBeLessThan(5_000);
    expect(await holders()).toEqual([{ name: 'rampart-coordination' }]);
    expect((await management.call('DELETE', `/api/node/${id}`)).status).toBe(204);
  });

  it('management behind a pooler uses no more sessions than the pooler has, besides direct connections', async () => {
    const pooledSessions = async () => {
      const [counted] = await direct.query<[{ n: number }]>(
        `SELECT count(*)::integer AS n FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
           AND application_name NOT IN ('rampart-coordination', 'rampart-reads')`,
      );
      return counted.n;
    };
    // A direct session of the start, such as that of the migrations, is listed until its process has ended.
    await until(async (saw) => saw(await pooledSessions()) <= SERVER_CONNECTIONS);
  });

  it('a pooler is refused at the start without DATABASE_DIRECT_URL', async () => {
    await expect(openDatabase({ databaseUrl: bouncer.url, dataDir: '/nonexistent' }, () => undefined)).rejects.toThrow(
      /^DATABASE_URL: 127\.0\.0\.1:\d+ is a connection pooler: name it in DATABASE_URL, and the server behind it in DATABASE_DIRECT_URL$/,
    );
  });

  it('a pooler is refused at the start where the two URLs are of different servers', async () => {
    const urls = { databaseUrl: bouncer.url, databaseDirectUrl: await createEmptyDatabase() };
    await expect(openDatabase({ ...urls, dataDir: '/nonexistent' }, () => undefined)).rejects.toThrow(
      'DATABASE_DIRECT_URL: it must name the same database as DATABASE_URL',
    );
  });

  it('a pooler is refused at the start where both URLs name the pooler', async () => {
    const urls = { databaseUrl: bouncer.url, databaseDirectUrl: `${bouncer.url}?` };
    await expect(openDatabase({ ...urls, dataDir: '/nonexistent' }, () => undefined)).rejects.toThrow(
      /^DATABASE_DIRECT_URL: 127\.0\.0\.1:\d+ is a connection pooler: /,
    );
  });
});
