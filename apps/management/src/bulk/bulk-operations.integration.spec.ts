import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { programFile, scratchFolder, until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { createDatabase } from '../testing/migrated-database.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import type { RoleUrls } from '../testing/worker-server.js';
import { MAX_BATCH_USERS } from './bulk-batches.js';
import { BulkOperations } from './bulk-operations.service.js';

const MAIN = programFile('management');
/** Number of users: five full batches, and one that is not full. */
const USERS = 5 * MAX_BATCH_USERS + 7;
const DAY = 86_400;
const END = '2030-01-01T00:00:00Z';
const DAY_LATER = '2030-01-02T00:00:00Z';
const ALL_DONE = { detail: `operation has been successfuly done on ${USERS} users` };

let folder: string;
let server: RoleUrls;
let management: TestManagement;
let database: DataSource;
/** Id of the last audit entry before the test. */
let lastEntry: string;
beforeAll(async () => {
  folder = await mkdtemp(join(scratchFolder(), 'rampart-bulk-'));
  server = await createDatabase('migrated');
  management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
  database = await createDataSource(server.url).initialize();
}, 60_000);
afterAll(async () => {
  await management?.close();
  await database?.destroy();
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

describe('a change of a group with many users', () => {
  let group: number;
  beforeEach(async () => {
    await database.query('DELETE FROM groups');
    const { body } = await management.call('POST', '/api/group', { name: 'large', inbound_tags: ['Shadowsocks TCP'] });
    group = Reflect.get(Object(body), 'id');
    await database.query('INSERT INTO user_groups (user_id, group_id) SELECT id, $1 FROM users', [group]);
    await database.query('DELETE FROM user_revisions');
  });
  const announced = async () =>
    (
      await database.query(
        'SELECT count(*)::integer AS users, count(DISTINCT revision)::integer AS steps FROM user_revisions',
      )
    )[0];
  const ofGroup = () =>
    database.query<object[]>(
      `SELECT actor, action, target FROM audit_entries WHERE action LIKE 'group.%' AND action <> 'group.create' AND id > $1`,
      [lastEntry],
    );

  it('lets other changes run between its batches, and reaches all of them', async () => {
    const asked = management.call('PUT', `/api/group/${group}`, { is_disabled: true });
    await until(firstBatchIsDone);
    expect((await management.call('PUT', '/api/user/user1', { note: 'in between' })).status).toBe(200);
    expect((await operations())[0]?.done).toBe(false);
    expect(await asked).toMatchObject({ status: 200, body: { id: group, is_disabled: true, total_users: USERS } });
    expect(await announced()).toEqual({ users: USERS, steps: 6 });
    expect(await ofGroup()).toEqual([{ actor: 'root', action: 'group.modify', target: `group/${group}` }]);
  });

  it('announces nobody when only its name has changed', async () => {
    expect((await management.call('PUT', `/api/group/${group}`, { name: 'other' })).status).toBe(200);
    expect([await announced(), await operations()]).toEqual([{ users: 0, steps: 0 }, []]);
  });

  it.each<[string, (user: { id: number; username: string }) => ['PUT' | 'POST', string, object]]>([
    ['a change of the user', ({ username }) => ['PUT', `/api/user/${username}`, { group_ids: [] }]],
    ['a bulk removal', ({ id }) => ['POST', '/api/groups/bulk/remove', { group_ids: [group], users: [id] }]],
  ])(
    'also reaches those who leave it meanwhile: %s',
    async (_, leave) => {
      const asked = management.call('PUT', `/api/group/${group}`, { is_disabled: true });
      await until(firstBatchIsDone);
      await management.app.get(BulkOperations).beforeApplicationShutdown();
      expect(await asked).toMatchObject({ status: 503 });
      await management.close();
      management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
      const [last] = await database.query('SELECT id, username FROM users ORDER BY id DESC LIMIT 1');
      expect(await management.call(...leave(last))).toMatchObject({ status: 200 });
      await abandon();
      await finishAbandoned();
      expect((await announced())?.users).toBe(USERS);
    },
    60_000,
  );

  it('is announced before its deletion, though it grants nothing any more', async () => {
    const asked = management.call('PUT', `/api/group/${group}`, { is_disabled: true });
    await until(firstBatchIsDone);
    expect((await management.call('DELETE', `/api/group/${group}`)).status).toBe(204);
    expect((await asked).status).toBe(200);
    expect((await announced())?.users).toBe(USERS);
  });

  it('is finished after an interruption: the group is deleted, and all users are announced', async () => {
    const asked = management.call('DELETE', `/api/group/${group}`);
    await until(firstBatchIsDone);
    expect((await management.call('GET', `/api/group/${group}`)).body).toMatchObject({ is_disabled: true });
    await management.app.get(BulkOperations).beforeApplicationShutdown();
    expect(await asked).toMatchObject({ status: 503, body: { code: 'BULK_GOES_ON' } });
    await management.close();
    management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
    expect(await ofGroup()).toEqual([]);
    const refused = { status: 503, body: { code: 'BULK_GOES_ON' } };
    expect(await management.call('DELETE', `/api/group/${group}`)).toMatchObject(refused);
    expect(await management.call('PUT', `/api/group/${group}`, { is_disabled: false })).toMatchObject(refused);
    await abandon();
    await finishAbandoned();
    expect((await management.call('GET', `/api/group/${group}`)).status).toBe(404);
    expect(await announced()).toEqual({ users: USERS, steps: 6 });
    expect(await database.query('SELECT count(*)::integer AS left FROM user_groups')).toEqual([{ left: 0 }]);
    expect(await ofGroup()).toEqual([{ actor: 'root', action: 'group.delete', target: `group/${group}` }]);
  }, 60_000);
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
    // Until the lease ends, the killed process counts as still at work, so nobody continues.
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

  it('is finished after a kill between two batches: POST /api/users/reset resets each user once', async () => {
    await management.close();
    const service = await Service.start();
    const asked = service.post('/api/users/reset', {}).catch(() => 'no answer');
    await until(firstBatchIsDone);
    await service.kill();
    expect(await asked).toBe('no answer');
    const [left] = await operations();
    const resets = () =>
      database.query<object[]>(
        `SELECT used_traffic::integer AS used, count(*)::integer AS users,
           (SELECT count(*)::integer FROM user_traffic_resets) AS resets
         FROM users GROUP BY used_traffic ORDER BY used_traffic`,
      );
    const affected = left?.affected ?? 0;
    expect([left?.done, affected > 0 && affected < USERS]).toEqual([false, true]);
    expect(await resets()).toEqual([
      { used: 0, users: affected, resets: affected },
      { used: 5, users: USERS - affected, resets: affected },
    ]);

    management = await TestManagement.start({ DATABASE_URL: server.url, RAMPART_DATA_DIR: folder });
    await abandon();
    await Promise.all([finishAbandoned(), finishAbandoned()]);
    expect(await operations()).toMatchObject([{ affected: USERS, done: true }]);
    expect(await resets()).toEqual([{ used: 0, users: USERS, resets: USERS }]);
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
        detail: 'The operation was interrupted and will be finished automatically: do not send it again',
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
              /^bulk operation \d+, "user.bulk_expire", cannot be continued and ends: Error: its row in the table bulk_operations was changed$/,
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

/** Runs the built program in a process of its own, which the test can kill. */
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
