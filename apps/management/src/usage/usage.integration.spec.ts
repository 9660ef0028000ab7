import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';
import { User } from '../user-store/entities/user.entity.js';
import { insertUsageHours } from './testing/usage-fixture.js';

let management: TestManagement;
let plain: string;

beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  await management.call('POST', '/api/user', { username: 'alice' });
  await management.call('POST', '/api/user', { username: 'idle' });
  await management.call('POST', '/api/user', { username: 'bob' }, plain);
  const alice = await owned('alice');
  const bob = await owned('bob');
  await insertUsageHours(management.database, [
    { ...alice, nodeId: 1, hour: '2026-01-31T19:00Z', bytes: 1 },
    { ...alice, nodeId: 1, hour: '2026-01-31T20:00Z', bytes: 10 },
    { ...alice, nodeId: 2, hour: '2026-01-31T20:00Z', bytes: 100 },
    { ...alice, nodeId: 2, hour: '2026-02-01T00:00Z', bytes: 1_000 },
    { ...alice, nodeId: 2, hour: '2026-02-28T23:00Z', bytes: 10_000 },
    { ...bob, nodeId: 1, hour: '2026-02-01T00:00Z', bytes: 7 },
  ]);
});
afterAll(() => management?.close());

/** The ids of a user and its admin, for which traffic is recorded. */
async function owned(username: string): Promise<{ userId: number; adminId: number }> {
  const { id, adminId } = await management.database.manager.findOneByOrFail(User, { username });
  return { userId: id, adminId: adminId! };
}

const get = (url: string, query: Record<string, string> = {}, token?: string) =>
  management.call('GET', `${url}?${new URLSearchParams(query)}`, undefined, token);

const total = (period_start: string, total_traffic: number) => ({ total_traffic, period_start });
const ALL = { start: '2026-01-01T00:00:00Z', end: '2026-03-01T00:00:00Z' };

describe('GET /api/user/{username}/usage', () => {
  const URL = '/api/user/alice/usage';

  it('adds up all nodes by hours', async () => {
    expect(await get(URL, ALL)).toEqual({
      status: 200,
      body: {
        period: 'hour',
        ...ALL,
        stats: {
          '-1': [
            total('2026-01-31T19:00:00Z', 1),
            total('2026-01-31T20:00:00Z', 110),
            total('2026-02-01T00:00:00Z', 1_000),
            total('2026-02-28T23:00:00Z', 10_000),
          ],
        },
      },
    });
  });

  it('answers the period minute with hours', async () => {
    const hours = Object((await get(URL, ALL)).body);
    expect(await get(URL, { ...ALL, period: 'minute' })).toEqual({ status: 200, body: { ...hours, period: 'minute' } });
  });

  it('returns nodes separately with group_by_node', async () => {
    const { body } = await get(URL, { ...ALL, period: 'month', group_by_node: 'true' });
    expect(body).toMatchObject({
      period: 'month',
      stats: {
        '1': [total('2026-01-01T00:00:00Z', 11)],
        '2': [total('2026-01-01T00:00:00Z', 100), total('2026-02-01T00:00:00Z', 11_000)],
      },
    });
    expect(Object.keys(Object(body).stats)).toEqual(['1', '2']);
  });

  it('returns the traffic of one node with node_id', async () => {
    const { body } = await get(URL, { ...ALL, period: 'month', node_id: '1' });
    expect(Object(body).stats).toEqual({ '-1': [total('2026-01-01T00:00:00Z', 11)] });
    expect(Object((await get(URL, { ...ALL, node_id: '77' })).body).stats).toEqual({});
  });

  it.each([
    [
      '2026-01-01T00:00:00Z',
      ['2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z', '2026-02-28T00:00:00Z'],
      [111, 1_000, 10_000],
    ],
    [
      '2026-01-01T00:00:00+04:00',
      ['2026-01-31T00:00:00+04:00', '2026-02-01T00:00:00+04:00', '2026-03-01T00:00:00+04:00'],
      [1, 1_110, 10_000],
    ],
    ['2026-01-01T00:00:00-04:00', ['2026-01-31T00:00:00-04:00', '2026-02-28T00:00:00-04:00'], [1_111, 10_000]],
    // The hour of UTC in which a day begins in Tehran counts for the day before.
    [
      '2026-01-01T00:00:00+03:30',
      ['2026-01-31T00:00:00+03:30', '2026-02-01T00:00:00+03:30', '2026-03-01T00:00:00+03:30'],
      [111, 1_000, 10_000],
    ],
  ])('counts days in the time zone in which %s is midnight', async (start, days, bytes) => {
    const { body } = await get(URL, { start, end: '2026-03-02', period: 'day' });
    expect(body).toMatchObject({ start, stats: { '-1': days.map((day, index) => total(day, bytes[index]!)) } });
    expect(Object(body).stats['-1']).toHaveLength(days.length);
  });

  it('counts the hours that begin in the range, whatever the period is', async () => {
    const range = { start: '2026-01-31T19:00:01Z', end: '2026-02-01T00:00:00Z' };
    for (const [period, start] of [
      ['hour', '2026-01-31T20:00:00Z'],
      ['day', '2026-01-31T00:00:00Z'],
      ['month', '2026-01-01T00:00:00Z'],
    ] as const) {
      expect(Object((await get(URL, { ...range, period })).body).stats).toEqual({ '-1': [total(start, 110)] });
    }
  });

  it('keeps hours of UTC and writes them in the time zone of the start', async () => {
    const { body } = await get(URL, { start: '2026-01-31T00:00:00+03:30', end: '2026-01-31T20:00:00Z' });
    expect(body).toEqual({
      period: 'hour',
      start: '2026-01-31T00:00:00+03:30',
      end: '2026-01-31T23:30:00+03:30',
      stats: { '-1': [total('2026-01-31T22:30:00+03:30', 1)] },
    });
  });

  it('accepts unix seconds, and returns nothing for a range without traffic', async () => {
    expect(await get(URL, { start: '1769889600', end: '1769893200' })).toEqual({
      status: 200,
      body: {
        period: 'hour',
        start: '2026-01-31T20:00:00Z',
        end: '2026-01-31T21:00:00Z',
        stats: { '-1': [total('2026-01-31T20:00:00Z', 110)] },
      },
    });
    expect(Object((await get('/api/user/idle/usage', ALL)).body).stats).toEqual({});
    expect(Object((await get(URL, { start: ALL.end, end: ALL.start })).body).stats).toEqual({});
  });

  it('covers the last 30 days by default', async () => {
    const before = Date.now();
    const { status, body } = await get(URL);
    const { start, end, stats } = Object(body);
    expect([status, stats]).toEqual([200, {}]);
    expect(Date.parse(end) - Date.parse(start)).toBe(30 * 86_400_000);
    expect(Date.parse(end)).toBeGreaterThan(before - 1_000);
    expect(Date.parse(end)).toBeLessThanOrEqual(Date.now());
  });

  it("is for the user's own admin and sudo admins", async () => {
    const bob = { '-1': [total('2026-02-01T00:00:00Z', 7)] };
    expect(Object((await get('/api/user/bob/usage', ALL, plain)).body).stats).toEqual(bob);
    expect(Object((await get('/api/user/bob/usage', ALL)).body).stats).toEqual(bob);
    expect(await get(URL, ALL, plain)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    expect(await get('/api/user/nobody/usage', ALL)).toEqual({
      status: 404,
      body: { detail: 'User not found', code: 'USER_NOT_FOUND' },
    });
  });
});

describe('GET /api/users/usage', () => {
  const URL = '/api/users/usage';
  const days = async (query: Record<string, string>, token?: string) =>
    Object((await get(URL, { ...ALL, period: 'month', ...query }, token)).body).stats;
  const january = (bytes: number) => total('2026-01-01T00:00:00Z', bytes);
  const february = (bytes: number) => total('2026-02-01T00:00:00Z', bytes);

  it('adds up all users, together and by node', async () => {
    expect(await get(URL, { ...ALL, period: 'month' })).toEqual({
      status: 200,
      body: { period: 'month', ...ALL, stats: { '-1': [january(111), february(11_007)] } },
    });
    expect(await days({ group_by_node: '1' })).toEqual({
      '1': [january(11), february(7)],
      '2': [january(100), february(11_000)],
    });
    expect(await days({ node_id: '1' })).toEqual({ '-1': [january(11), february(7)] });
  });

  it('adds up the users of some admins', async () => {
    expect(await days({ admin: 'root' })).toEqual({ '-1': [january(111), february(11_000)] });
    expect(await days({ admin: 'plain' })).toEqual({ '-1': [february(7)] });
    expect(await days({ admin: 'nobody' })).toEqual({});
    const query = new URLSearchParams([
      ...Object.entries(ALL),
      ['admin', 'plain'],
      ['admin', 'root'],
      ['period', 'month'],
    ]);
    const { body } = await management.call('GET', `${URL}?${query}`);
    expect(Object(body).stats).toEqual({ '-1': [january(111), february(11_007)] });
  });

  it('adds up only the own users of a plain admin', async () => {
    expect(await days({}, plain)).toEqual({ '-1': [february(7)] });
    expect(await days({ admin: 'plain' }, plain)).toEqual({ '-1': [february(7)] });
    expect(await days({ admin: 'root' }, plain)).toEqual({});
  });

  it('keeps the traffic of a deleted user', async () => {
    await management.call('POST', '/api/user', { username: 'gone' }, plain);
    await insertUsageHours(management.database, [
      { ...(await owned('gone')), nodeId: 1, hour: '2025-06-01T00:00Z', bytes: 5 },
    ]);
    await management.call('DELETE', '/api/user/gone');
    const query = { start: '2025-06-01T00:00:00Z', end: '2025-06-02T00:00:00Z' };
    const stats = { '-1': [total('2025-06-01T00:00:00Z', 5)] };
    expect(Object((await get(URL, query)).body).stats).toEqual(stats);
    expect(Object((await get(URL, query, plain)).body).stats).toEqual(stats);
  });
});

describe('GET /api/node/usage', () => {
  it('adds up the raw bytes of nodes', async () => {
    const month = (period_start: string, bytes: number) => ({ uplink: 2 * bytes, downlink: 3 * bytes, period_start });
    expect(await get('/api/node/usage', { ...ALL, period: 'month' })).toEqual({
      status: 200,
      body: {
        period: 'month',
        ...ALL,
        stats: { '-1': [month('2026-01-01T00:00:00Z', 111), month('2026-02-01T00:00:00Z', 11_007)] },
      },
    });
    expect(
      Object((await get('/api/node/usage', { ...ALL, period: 'month', node_id: '1', group_by_node: 'true' })).body)
        .stats,
    ).toEqual({ '1': [month('2026-01-01T00:00:00Z', 11), month('2026-02-01T00:00:00Z', 7)] });
  });
});

describe.each(['/api/user/alice/usage', '/api/users/usage', '/api/node/usage'])('GET %s', (url) => {
  const MOMENT = 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z';

  it.each([
    ['period', 'week', "Input should be one of 'minute', 'hour', 'day', 'month'"],
    ['start', 'yesterday', MOMENT],
    ['end', '2026-02-31', MOMENT],
    ['node_id', '0', 'Input should be an integer from 1 to 2147483647'],
    ['group_by_node', 'maybe', 'Input should be true or false'],
  ])('the routes of usage refuse the query %s=%s', async (field, value, message) => {
    expect(await get(url, { [field]: value })).toEqual({
      status: 422,
      body: { detail: { [field]: message }, code: 'INVALID_FIELDS' },
    });
  });
});
