import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { TestDatabase } from '../testing/test-database.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { MAX_BATCH_USERS } from './bulk-batches.js';
import { BulkOperations } from './bulk-operations.service.js';

const MAIN = resolve(process.cwd(), 'apps/management/dist/main.js');
/** Several batches, and one that is not full. */
const USERS = 5 * MAX_BATCH_USERS + 7;
const DAY = 86_400;
const END = '2030-01-01T00:00:00Z';
const DAY_LATER = '2030-01-02T00:00:00Z';
const ALL_DONE = { detail: `operation has been successfuly done on ${USERS} users` };

let folder: string;
let server: TestDatabase;
let management: TestManagement;
let database: DataSource;
/** Of the audit log before the test. */
let lastEntry: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rampart-bulk-'));
  server = await TestDatabase.start();
  management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
  database = await createDataSource(server.url).initialize();
}, 60_000);
afterAll(async () => {
  await management?.close();
  await database?.destroy();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await database.query('DELETE FROM users');
  await database.query('DELETE FROM bulk_operations');
  const [last] = await database.query<{ id: string }[]>('SELECT coalesce(max(id), 0) AS id FROM audit_entries');
  lastEntry = last?.id ?? '0';
  await database.query(
    `INSERT INTO users (username, status, expire, used_traffic)
     SELECT 'user' || n, 'active', $1, 5 FROM generate_series(1, $2::integer) n`,
    [END, USERS],
  );
});

const ends = async () => {
  const rows = await database.query<{ expire: Date; users: number }[]>(
    'SELECT expire, count(*)::integer AS users FROM users GROUP BY expire ORDER BY expire',
  );
  return rows.map(({ expire, users }) => [expire.toISOString().replace('.000', ''), users]);
};
const operations = () =>
  database.query<{ position: number; affected: number; done: boolean }[]>(
    'SELECT position, affected_users AS affected, finished_at IS NOT NULL AS done FROM bulk_operations',
  );
const audited = () =>
  database.query<object[]>(
    `SELECT actor, action, target, difference FROM audit_entries
     WHERE action LIKE 'user.bulk%' AND id > $1 ORDER BY id`,
    [lastEntry],
  );
const firstBatchIsDone = async () => (await operations()).length > 0;
const abandon = () => database.query("UPDATE bulk_operations SET leased_until = now() - interval '1 second'");
const finishAbandoned = () => management.app.get(BulkOperations).finishAbandoned();

describe('work on many users', () => {
  it('lets other changes run between its batches, and returns the number of all changed users', async () => {
    const asked = management.call('POST', '/api/users/bulk/expire', { amount: DAY });
    await until(firstBatchIsDone);
    expect((await management.call('PUT', '/api/user/user1', { note: 'in between' })).status).toBe(200);
    const [seen] = await operations();
    expect([seen?.done, (seen?.position ?? 0) > 0]).toEqual([false, true]);
    expect(await asked).toEqual({ status: 200, body: ALL_DONE });
    expect(await ends()).toEqual([[DAY_LATER, USERS]]);
    expect(await operations()).toMatchObject([{ affected: USERS, done: true }]);
    expect(await audited()).toEqual([
      {
        actor: 'root',
        action: 'user.bulk_expire',
        target: 'users',
        difference: { affected_users: { after: USERS }, amount: { after: DAY } },
      },
    ]);
  });

  it('does not include users that are created while it runs', async () => {
    const asked = management.call('POST', '/api/users/bulk/expire', { amount: DAY });
    await until(firstBatchIsDone);
    await database.query("INSERT INTO users (username, status, expire) VALUES ('late', 'active', $1)", [END]);
    expect(await asked).toEqual({ status: 200, body: ALL_DONE });
    expect(await ends()).toEqual([
      [END, 1],
      [DAY_LATER, USERS],
    ]);
  });

  it('is one transaction when it is small', async () => {
    await database.query('DELETE FROM users WHERE id NOT IN (SELECT id FROM users ORDER BY id LIMIT 9)');
    const { body } = await management.call('POST', '/api/users/bulk/expire', { amount: DAY });
    expect(body).toEqual({ detail: 'operation has been successfuly done on 9 users' });
    expect(await operations()).toEqual([]);
    expect(await audited()).toHaveLength(1);
  });

  it('resets the traffic of all users in batches', async () => {
    expect(await management.call('POST', '/api/users/reset')).toEqual({ status: 200, body: {} });
    expect(await database.query('SELECT DISTINCT used_traffic FROM users')).toEqual([{ used_traffic: '0' }]);
    expect(await operations()).toMatchObject([{ affected: USERS, done: true }]);
  });

  it('returns the names of all deleted users', async () => {
    await database.query("UPDATE users SET status = 'expired', expire = '2020-01-01'");
    const { body } = await management.call('DELETE', '/api/users/expired');
    expect(Reflect.get(Object(body), 'count')).toBe(USERS);
    expect(new Set(Reflect.get(Object(body), 'users')).size).toBe(USERS);
    expect(await database.query('SELECT count(*)::integer AS left FROM users')).toEqual([{ left: 0 }]);
  });
});

describe('work on many users that was interrupted', () => {
  it('is finished after a kill between two batches, and no user is changed twice', async () => {
    await management.close();
    const service = await Service.start();
    const asked = service.post('/api/users/bulk/expire', { amount: DAY }).catch(() => 'no answer');
    await until(firstBatchIsDone);
    await service.kill();
    expect(await asked).toBe('no answer');
    const [left] = await operations();
    expect(left?.done).toBe(false);
    expect(await ends()).toEqual([
      [END, USERS - (left?.affected ?? 0)],
      [DAY_LATER, left?.affected],
    ]);
    expect(await audited()).toEqual([]);

    management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
    // Until its lease ends, it could still be at work.
    await finishAbandoned();
    expect((await operations())[0]?.done).toBe(false);
    await abandon();
    await Promise.all([finishAbandoned(), finishAbandoned()]);
    expect(await operations()).toMatchObject([{ affected: USERS, done: true }]);
    expect(await ends()).toEqual([[DAY_LATER, USERS]]);
    expect(await audited()).toMatchObject([
      { actor: 'root', difference: { affected_users: { after: USERS }, amount: { after: DAY } } },
    ]);
  }, 60_000);

  it('is finished by two replicas that continue it at the same moment', async () => {
    const asked = management.call('POST', '/api/users/bulk/expire', { amount: DAY });
    await until(firstBatchIsDone);
    await abandon();
    await finishAbandoned();
    expect(await asked).toEqual({ status: 200, body: ALL_DONE });
    expect(await ends()).toEqual([[DAY_LATER, USERS]]);
    expect(await audited()).toHaveLength(1);
  });

  it('is kept for later when the service stops, and the caller is told not to repeat it', async () => {
    const asked = management.call('POST', '/api/users/bulk/expire', { amount: DAY });
    await until(firstBatchIsDone);
    await management.app.get(BulkOperations).beforeApplicationShutdown();
    expect(await asked).toEqual({
      status: 503,
      body: {
        detail: 'The operation was interrupted and is finished by itself later: do not send it again',
        code: 'BULK_GOES_ON',
      },
    });
    await management.close();
    management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
    await abandon();
    await finishAbandoned();
    expect(await ends()).toEqual([[DAY_LATER, USERS]]);
  }, 60_000);
});

describe('work on many users whose stored request was changed', () => {
  it.each([['terms'], ['actor']])(
    'ends without reaching anybody else, and says so: %s',
    async (column) => {
      const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      try {
        const asked = management.call('POST', '/api/users/bulk/expire', { amount: DAY });
        await until(firstBatchIsDone);
        await management.app.get(BulkOperations).beforeApplicationShutdown();
        expect((await asked).status).toBe(503);
        await management.close();
        management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
        const [before] = await operations();
        await database.query(`UPDATE bulk_operations SET ${column} = '{}'`);
        await abandon();
        await expect(finishAbandoned()).rejects.toThrow('its row in the table bulk_operations was changed');
        expect(error.mock.calls).toEqual([
          [
            expect.stringMatching(
              /^operation \d+, "user.bulk_expire", ends before its time: Error: its row in the table bulk_operations was changed$/,
            ),
          ],
        ]);
        expect(await operations()).toEqual([{ ...before, done: true }]);
        expect(await audited()).toMatchObject([
          {
            difference: {
              affected_users: { after: before?.affected },
              stopped: { after: 'the stored order was changed' },
            },
          },
        ]);
      } finally {
        error.mockRestore();
      }
    },
    60_000,
  );
});

/** The built program in a process of its own, which can be killed. */
class Service {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly token: string,
  ) {}

  static async start(): Promise<Service> {
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: server.url,
        RAMPART_DATA_DIR: folder,
        RAMPART_HOST: '127.0.0.1',
        RAMPART_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /Ready on (http:\/\/[\d.:]+)/.exec(line) ?? [];
      if (url === undefined) continue;
      child.stdout.resume();
      const answer = await fetch(`${url}/api/admin/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(SUDO),
      });
      return new Service(child, url, Reflect.get(Object(await answer.json()), 'access_token'));
    }
    throw new Error('the service did not come up');
  }

  async post(path: string, body: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return (await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
