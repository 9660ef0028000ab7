import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';
import { deleteAllUsage, insertUsageHours } from './testing/usage-fixture.js';
import { usagePartitions } from './testing/usage-partitions.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const HOURS = ['2026-01-01T22:00', '2026-01-01T23:00', '2026-01-02T00:00', '2026-01-03T23:00', '2026-01-04T00:00'];

beforeEach(async () => {
  await deleteAllUsage(management.database);
  await insertUsageHours(
    management.database,
    HOURS.flatMap((hour, index) =>
      [1, 2].map((nodeId) => ({ userId: 5, adminId: 1, nodeId, hour: `${hour}Z`, bytes: 10 ** index })),
    ),
  );
});

const clear = (table: string, query = '') =>
  management.call('DELETE', `/api/nodes/clear_usage_data/${table}${query === '' ? '' : `?${query}`}`);

/** The sums of the remaining rows by table. */
async function left(): Promise<Record<string, string | null>> {
  const [row] = await management.database.query(
    `SELECT (SELECT sum(used_traffic) FROM node_user_usages) AS users,
       (SELECT sum(used_traffic) FROM admin_usages) AS admins,
       (SELECT sum(used_traffic) FROM node_usages) AS total,
       (SELECT sum(uplink) FROM node_usages) AS uplink,
       (SELECT sum(downlink) FROM node_usages) AS downlink`,
  );
  return row;
}

const used = (bytes: string | null) => ({ users: bytes, admins: bytes, total: bytes ?? '0' });
const exchanged = (uplink: string, downlink: string) => ({ uplink, downlink });
const BEFORE = { ...used('22222'), ...exchanged('44444', '66666') };

const audited = () =>
  management.database.query(
    `SELECT actor, target, difference FROM audit_entries WHERE action = 'usage.clear' ORDER BY id`,
  );

describe('DELETE /api/nodes/clear_usage_data/{table}', () => {
  it.each([
    ['', null],
    ['start=2026-01-02', '22'],
    ['end=2026-01-02', '22200'],
    // A part of a day, two whole days of which one has no partition, and the beginning of another day.
    ['start=2026-01-01T23:00:00Z&end=2026-01-04T00:00:01Z', '2'],
    ['start=2026-01-01T23:00:00Z&end=2026-01-04T00:00:00Z', '20002'],
    ['start=2026-01-02T02:00:00%2B02:00&end=1767398400', '22022'],
    ['start=2027-01-01', '22222'],
    ['start=2026-01-03&end=2026-01-01', '22222'],
  ])('deletes the history of users: ?%s', async (query, bytes) => {
    expect(await clear('node_user_usages', query)).toEqual({ status: 204, body: undefined });
    expect(await left()).toEqual({ ...used(bytes), ...exchanged('44444', '66666') });
  });

  it.each([
    ['', '0', '0'],
    ['start=2026-01-01T23:00:00Z&end=2026-01-04', '40004', '60006'],
  ])('clears the bytes that nodes transferred: ?%s', async (query, uplink, downlink) => {
    expect(await clear('node_usages', query)).toEqual({ status: 204, body: undefined });
    expect(await left()).toEqual({ ...used('22222'), ...exchanged(uplink, downlink) });
  });

  it('leaves no period that an answer would show', async () => {
    await clear('node_usages');
    await clear('node_user_usages');
    for (const url of ['/api/node/usage', '/api/users/usage']) {
      expect((await management.call('GET', `${url}?start=2026-01-01`)).body).toMatchObject({ stats: {} });
    }
  });

  it('keeps the partitions, into which traffic may be recorded', async () => {
    const days = await usagePartitions(management.database.manager);
    await clear('node_user_usages');
    expect(await usagePartitions(management.database.manager)).toEqual(days);
  });

  it('writes an audit entry', async () => {
    const before = (await audited()).length;
    await clear('node_user_usages', 'start=2026-01-02T02:00:00%2B02:00&end=1767398400');
    expect((await audited()).slice(before)).toEqual([
      {
        actor: 'root',
        target: 'node_user_usages',
        difference: { start: { after: '2026-01-02T02:00:00+02:00' }, end: { after: 1767398400 } },
      },
    ]);
  });

  it.each([
    ['users', '', 'table', "Input should be one of 'node_user_usages', 'node_usages'"],
    [
      'node_user_usages',
      'start=soon',
      'start',
      'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z',
    ],
    ['node_usages', 'end=-1', 'end', 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z'],
  ])('refuses %s?%s and changes nothing', async (table, query, field, message) => {
    const entries = await audited();
    expect(await clear(table, query)).toEqual({
      status: 422,
      body: { detail: { [field]: message }, code: 'INVALID_FIELDS' },
    });
    expect(await left()).toEqual(BEFORE);
    expect(await audited()).toEqual(entries);
  });
});
