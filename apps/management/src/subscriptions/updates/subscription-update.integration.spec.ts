import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { make } from '../../testing/mutations/mutation.js';
import { SUDO, TestManagement } from '../../testing/test-management.js';
import { SubscriptionUpdates } from './subscription-update.entity.js';
import { SubscriptionUpdateRecorder } from './subscription-update-recorder.js';
import { UpdateTiming } from './update-timing.js';
import { writeUpdates } from './write-updates.js';

const LONG_PAUSES = { minPauseMs: 600_000, maxPauseMs: 600_000 };

let management: TestManagement;
let recorder: SubscriptionUpdateRecorder;
let plain: string;
const paths = new Map<string, string>();
beforeAll(async () => {
  management = await TestManagement.start();
  recorder = management.app.get(SubscriptionUpdateRecorder);
  await make(management, '/api/admin', { ...SUDO, username: 'plain', is_sudo: false });
  plain = await management.login('plain', SUDO.password);
  for (const [username, token] of [
    ['alice', undefined],
    ['bob', plain],
    ['carol', undefined],
  ] as const) {
    const { body } = await management.call('POST', '/api/user', { username }, token);
    paths.set(username, new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname);
  }
  // The pause after the first write is longer than all tests, so that only they write.
  Object.assign(management.app.get(UpdateTiming), LONG_PAUSES);
  await fetch('alice', 'first/0');
});
afterAll(() => management?.close());
beforeEach(async () => {
  await recorder.write();
  await management.database.manager.deleteAll(SubscriptionUpdates);
});

const fetch = (username: string, userAgent: string, end = '', headers: Record<string, string> = {}) =>
  management.app.inject({
    method: 'GET',
    url: `${paths.get(username)}${end}`,
    headers: { 'user-agent': userAgent, ...headers },
  });
const list = (username: string, query = '', token?: string) =>
  management.call('GET', `/api/user/${username}/sub_update${query}`, undefined, token);
const chart = (query = '', token?: string) =>
  management.call('GET', `/api/users/sub_update/chart${query}`, undefined, token);
const agents = (answer: { body: unknown }): unknown[] =>
  [Object(answer.body).updates].flat().map(({ user_agent }) => user_agent);
const idOf = async (username: string) =>
  Number(Object((await management.call('GET', `/api/user/${username}`)).body).id);

describe('GET /api/user/{username}/sub_update', () => {
  it('lists a fetch directly after it, before others are written', async () => {
    await fetch('bob', 'first/1');
    await fetch('alice', 'second/1');
    await fetch('bob', 'third/1');
    expect(agents(await list('bob'))).toEqual(['third/1', 'first/1']);
    const rows = await management.database.manager.find(SubscriptionUpdates);
    expect(rows.map(({ userId }) => userId)).toEqual([await idOf('bob')]);
    expect((await chart()).body).toMatchObject({ total: 3 });
  });

  it('lists fetches by User-Agent or by path, newest first', async () => {
    const before = Date.now();
    await fetch('alice', 'v2rayNG/1.10');
    await fetch('alice', 'mihomo/1.19', '/clash_meta');
    await fetch('bob', 'Happ/3');
    await recorder.write();
    const { status, body } = await list('alice');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        updates: [
          { created_at: expect.any(String), user_agent: 'mihomo/1.19' },
          { created_at: expect.any(String), user_agent: 'v2rayNG/1.10' },
        ],
        count: 2,
      },
    });
    const at = Date.parse(Object(body).updates[0].created_at);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('does not count the page, refused requests, or information about a subscription', async () => {
    await fetch('alice', 'Mozilla/5.0', '', { accept: 'text/html' });
    await fetch('alice', 'Mine/1', '/info');
    await fetch('alice', 'Mine/1', '/no_format');
    await recorder.write();
    expect(await list('alice')).toEqual({ status: 200, body: { updates: [], count: 0 } });
  });

  it('keeps the newest ten, over several batches, of 256 characters each', async () => {
    for (let number = 1; number <= 9; number++) await fetch('alice', `App/${number}`);
    await recorder.write();
    await fetch('bob', 'Other/1');
    for (let number = 10; number <= 13; number++) await fetch('alice', `App/${number}${'x'.repeat(300)}`);
    await recorder.write();
    const kept = await list('alice');
    expect(agents(kept)).toEqual([
      ...[13, 12, 11, 10].map((number) => `App/${number}${'x'.repeat(300)}`.slice(0, 256)),
      ...[9, 8, 7, 6, 5, 4].map((number) => `App/${number}`),
    ]);
    expect(agents(await list('bob'))).toEqual(['Other/1']);
    expect(Object(kept.body).count).toBe(10);
  });

  it('is paged', async () => {
    for (let number = 1; number <= 5; number++) await fetch('alice', `App/${number}`);
    await recorder.write();
    const page = await list('alice', '?offset=1&limit=2');
    expect(agents(page)).toEqual(['App/4', 'App/3']);
    expect(Object(page.body).count).toBe(5);
    expect(agents(await list('alice', '?limit=0'))).toHaveLength(5);
    expect(await list('alice', '?offset=-1')).toEqual({
      status: 422,
      body: { detail: { offset: 'Input should be an integer from 0 to 2147483647' }, code: 'INVALID_FIELDS' },
    });
  });

  it("is limited to a plain admin's own users", async () => {
    await fetch('bob', 'Happ/3');
    await recorder.write();
    expect(agents(await list('bob', '', plain))).toEqual(['Happ/3']);
    expect(await list('alice', '', plain)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    expect(await list('nobody')).toEqual({ status: 404, body: { detail: 'User not found', code: 'USER_NOT_FOUND' } });
  });
});

describe('GET /api/users/sub_update/chart', () => {
  beforeEach(async () => {
    for (const agent of ['Happ/3', 'Happ/2 (x)', 'v2rayNG/1.10']) await fetch('alice', agent);
    await fetch('bob', 'sing-box 1.12');
    await fetch('bob', 'Happ');
    await fetch('bob', '/1');
    await recorder.write();
  });

  it('counts applications, the most frequent first', async () => {
    expect(await chart()).toEqual({
      status: 200,
      body: {
        total: 6,
        segments: [
          { name: 'Happ', count: 3, percentage: 50 },
          { name: 'sing-box 1.12', count: 1, percentage: 16.67 },
          { name: 'unknown', count: 1, percentage: 16.67 },
          { name: 'v2rayNG', count: 1, percentage: 16.67 },
        ],
      },
    });
  });

  const totals = async (query: string, token?: string) => Object((await chart(query, token)).body).total;

  it('filters by user, admin and time', async () => {
    expect(await totals('?username=alice')).toBe(3);
    expect(await totals(`?user_id=${await idOf('bob')}`)).toBe(3);
    expect(await totals(`?admin_id=2&username=alice`)).toBe(0);
    expect(await totals(`?admin_id=2`)).toBe(3);
    expect(await totals('?start=2000-01-01&end=2000-01-02')).toBe(0);
    expect(await totals('?start=2000-01-01')).toBe(6);
    expect(await chart('?username=nobody')).toEqual({ status: 200, body: { total: 0, segments: [] } });
    expect((await chart('?user_id=0')).status).toBe(422);
  });

  it("counts only a plain admin's own users", async () => {
    expect(await totals('', plain)).toBe(3);
    expect(await totals('?username=alice', plain)).toBe(0);
    expect(await totals('?admin_id=1', plain)).toBe(0);
  });

  it('counts rare applications together', async () => {
    const { manager } = management.database;
    const at = new Date();
    for (let user = 1; user <= 6; user++) {
      const { id: userId } = await make(management, '/api/user', { username: `rare${user}` });
      const names = Array.from({ length: 12 }, (_, number) => ({ userId, userAgent: `X${user}-${number}/1`, at }));
      await writeUpdates(manager, names);
    }
    const { segments, total } = Object((await chart()).body);
    expect(segments).toHaveLength(51);
    expect(total).toBe(66);
    expect(segments.at(-1)).toEqual({ name: 'other', count: 14, percentage: 21.21 });
  });
});

describe('the record of fetches', () => {
  it('skips deleted users, without losing those of others', async () => {
    await fetch('alice', 'Happ/3');
    await fetch('carol', 'Happ/3');
    await management.call('DELETE', '/api/user/carol');
    await recorder.write();
    expect(agents(await list('alice'))).toEqual(['Happ/3']);
  });

  it('is deleted with its user', async () => {
    const { id } = await make(management, '/api/user', { username: 'dave' });
    const { manager } = management.database;
    await writeUpdates(manager, [{ userId: id, userAgent: 'Happ/3', at: new Date() }]);
    expect(await manager.countBy(SubscriptionUpdates, { userId: id })).toBe(1);
    await management.call('DELETE', '/api/user/dave');
    expect(await manager.countBy(SubscriptionUpdates, { userId: id })).toBe(0);
  });

  it('writing the record of fetches does not wait for a concurrent deletion of a user', async () => {
    const { database } = management;
    await database.transaction(async (deleting) => {
      await deleting.query(`SELECT FROM users WHERE username = 'alice' FOR UPDATE`);
      await fetch('alice', 'Happ/3');
      await fetch('bob', 'Happ/3');
      await recorder.write();
    });
    expect(agents(await list('alice'))).toEqual([]);
    expect(agents(await list('bob'))).toEqual(['Happ/3']);
  });

  it('a record of fetches that cannot be written affects no answer, and is logged', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    await management.asOwner('ALTER TABLE user_subscription_updates RENAME TO away');
    expect((await fetch('alice', 'Happ/3')).statusCode).toBe(200);
    await recorder.write();
    await management.asOwner('ALTER TABLE away RENAME TO user_subscription_updates');
    expect(warn.mock.calls).toEqual([
      ['1 subscription fetches were not recorded: relation "user_subscription_updates" does not exist'],
    ]);
    warn.mockRestore();
    await fetch('alice', 'Happ/4');
    await recorder.write();
    expect(agents(await list('alice'))).toEqual(['Happ/4']);
  });
});

it('pending fetches are written when the service stops', async () => {
  const ending = await TestManagement.start();
  Object.assign(ending.app.get(UpdateTiming), LONG_PAUSES);
  const { body } = await ending.call('POST', '/api/user', { username: 'eve' });
  const { pathname } = new URL(String(Reflect.get(Object(body), 'subscription_url')));
  const fetchAs = (agent: string) =>
    ending.app.inject({ method: 'GET', url: pathname, headers: { 'user-agent': agent } });
  await fetchAs('First/1');
  await ending.app.get(SubscriptionUpdateRecorder).write();
  await fetchAs('Last/1');
  await ending.app.close();
  expect(await ending.database.manager.find(SubscriptionUpdates)).toMatchObject([
    { userAgents: ['Last/1', 'First/1'] },
  ]);
  await ending.close();
});
