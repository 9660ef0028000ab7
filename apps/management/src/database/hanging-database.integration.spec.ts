import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSilentServer, until } from '@rampart/testing';
import { DEFAULT_SETTINGS } from '../env/database-settings.js';
import { CoordinationConnection } from '../nodes/sync/coordination-connection.js';
import { DatabaseProxy } from '../testing/database-proxy.js';
import { createDatabase } from '../testing/migrated-database.js';
import { TestManagement } from '../testing/test-management.js';
import { DatabasePool } from './database-pool.js';
import { lockRevision } from './revision.js';

/** Maximum time until every request is answered with the error of a hanging database. */
const NOTICE_MS = 10_000;
const BUSY = {
  status: 503,
  body: { detail: 'The database does not answer in time, try again in a moment', code: 'DATABASE_BUSY' },
};

let proxy: DatabaseProxy;
let management: TestManagement;
let subscription: string;
beforeAll(async () => {
  proxy = await DatabaseProxy.before((await createDatabase('migrated')).url);
  management = await TestManagement.start({ DATABASE_URL: proxy.url, RAMPART_LOCK_SECONDS: '1' });
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
  const { body } = await management.call('POST', '/api/user', { username: 'alice', group_ids: [1] });
  subscription = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
}, 60_000);
afterAll(async () => {
  proxy.resume();
  await management?.close();
  await proxy?.close();
});

const rename = (note: string) => management.call('PUT', '/api/user/alice', { note });
const everything = () =>
  Promise.all([
    ...Array.from({ length: 20 }, (_, index) => rename(`note ${index}`)),
    ...Array.from({ length: 20 }, () => management.call('GET', '/api/users?limit=1')),
    management.call('GET', subscription),
    management.call('POST', '/api/admin/token', { username: 'root', password: 'correct horse battery' }),
  ]);
const elapsed = async <T>(work: () => Promise<T>): Promise<{ ms: number; answers: T }> => {
  const began = performance.now();
  const answers = await work();
  return { ms: performance.now() - began, answers };
};
describe('a database that hangs', () => {
  it('every request learns within ten seconds that the database hangs, and succeeds again when it answers', async () => {
    expect(new Set((await everything()).map(({ status }) => status))).toEqual(new Set([200]));
    proxy.hang();
    const first = await elapsed(everything);
    expect(first.answers).toEqual(first.answers.map(() => BUSY));
    expect(first.ms).toBeLessThan(NOTICE_MS);
    // The watch has noticed the hanging database, so further requests do not wait.
    const { headers, status } = await management.request('GET', '/api/users');
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    const second = await elapsed(everything);
    expect(second.answers).toEqual(second.answers.map(() => BUSY));
    expect(second.ms).toBeLessThan(1_000);
    proxy.resume();
    await until(async (saw) => saw(await management.call('GET', '/api/users')).status === 200, 20_000);
    expect(new Set((await everything()).map(({ status }) => status))).toEqual(new Set([200]));
  }, 60_000);
});

describe('a lock that is held for long', () => {
  it('a locked change waits for the time of the setting, and is then answered with 503', async () => {
    const runner = management.database.createQueryRunner();
    await runner.startTransaction();
    await lockRevision(runner.manager);
    const { ms, answers } = await elapsed(() => rename('late'));
    expect(answers).toEqual(BUSY);
    expect(ms).toBeLessThan(5_000);
    await runner.rollbackTransaction();
    await runner.release();
    expect((await rename('in time')).status).toBe(200);
  });
});

describe('the limits of connections', () => {
  it('each of the three pools keeps its connections alive, and waits 5 seconds for one', () => {
    const pools: DatabasePool[] = Reflect.get(management.database, 'pools');
    expect(pools.map(({ options }) => options)).toMatchObject(
      ['rampart-subscriptions', 'rampart-reads', 'rampart-writes'].map((application_name) => ({
        ...{ application_name, keepAlive: true, keepAliveInitialDelayMillis: 15_000 },
        connectionTimeoutMillis: 5_000,
      })),
    );
  });

  it('a pool and the connection for coordination give up a server that answers nothing within 6 seconds', async () => {
    const silent = await startSilentServer();
    const url = `postgresql://nobody@127.0.0.1:${silent.port}/nothing`;
    const pool = new DatabasePool({ connectionString: url }, DEFAULT_SETTINGS);
    let coordination: CoordinationConnection | undefined;
    const lost = new Promise<string>((connectionLost) => {
      const ignored = () => undefined;
      const events = { connected: ignored, notificationReceived: ignored, connectionLost };
      coordination = new CoordinationConnection(url, [], events);
      coordination.start();
    });
    try {
      const pooled = pool.connect().catch(({ message }: Error) => message);
      const { ms, answers } = await elapsed(() => Promise.all([pooled, lost]));
      expect(answers).toEqual([
        'Connection terminated due to connection timeout',
        expect.stringMatching(/timeout expired|connection timeout/),
      ]);
      expect(ms).toBeGreaterThan(4_000);
      expect(ms).toBeLessThan(6_000);
    } finally {
      await coordination?.stop();
      await pool.end();
      silent.close();
    }
  });

  it.each([
    ['statement_timeout', '30s'],
    ['lock_timeout', '1s'],
    ['idle_in_transaction_session_timeout', '30s'],
  ])('the limit %s is %s in every pool of connections', async (name, value) => {
    const { database } = management;
    const sql = `SELECT current_setting('${name}') AS value`;
    expect(await database.query(sql)).toEqual([{ value }]);
    expect(await database.transaction((manager) => manager.query(sql))).toEqual([{ value }]);
    const { rows } = await Reflect.get(database, 'subscriptions').query(sql);
    expect(rows).toEqual([{ value }]);
  });

  it('a statement that takes too long is cancelled and answered with 503', async () => {
    const asked = management.database.transaction(async (manager) => {
      await manager.query("SET LOCAL statement_timeout = '50ms'");
      await manager.query('SELECT pg_sleep(10)');
    });
    await expect(asked).rejects.toMatchObject({ driverError: { code: '57014' } });

    const impatient = await TestManagement.start({
      ...{ DATABASE_URL: proxy.url, RAMPART_DATA_DIR: management.folder, RAMPART_STATEMENT_SECONDS: '1' },
    });
    try {
      await management.database.query(
        `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(20); RETURN NEW; END'`,
      );
      await management.database.query(
        'CREATE TRIGGER wait BEFORE UPDATE OF note ON users FOR EACH ROW EXECUTE FUNCTION wait()',
      );
      const { ms, answers } = await elapsed(() => impatient.call('PUT', '/api/user/alice', { note: 'too slow' }));
      expect(answers).toEqual(BUSY);
      expect(ms).toBeGreaterThan(900);
      expect(ms).toBeLessThan(5_000);
    } finally {
      await management.database.query('DROP FUNCTION IF EXISTS wait CASCADE');
      await impatient.close();
    }
    expect((await rename('in time')).status).toBe(200);
  }, 60_000);
});
