import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../../database/revision.js';
import { User } from '../../user-store/entities/user.entity.js';
import { DAY, LifeCycleFixture, SECOND, TAG } from './testing/life-cycle-fixture.js';

const PAST = new Date('2020-01-01T00:00:00.000Z');
const FUTURE = new Date('2033-05-18T03:33:20.000Z');

let fixture: LifeCycleFixture;
beforeAll(async () => {
  fixture = await LifeCycleFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

const before = (date: Date) => new Date(date.getTime() - 1);

describe('the end of a user', () => {
  it('expires the user at that moment, not before, and nodes are told', async () => {
    const user = await fixture.user({ expire: FUTURE.toISOString() });
    await fixture.run(before(FUTURE));
    expect(await fixture.shown(user.username)).toEqual(user);
    expect(await fixture.nodeChanges()).toEqual([]);
    await fixture.run(FUTURE);
    expect(await fixture.shown(user.username)).toEqual({ ...user, status: 'expired' });
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, []]]);
  });

  it('expires a limited user too, and nodes are not told', async () => {
    const user = await fixture.user({ data_limit: 5 }, { status: 'limited', usedTraffic: 5, expire: PAST });
    await fixture.run();
    expect(await fixture.shown(user.username)).toEqual({ ...user, status: 'expired' });
    expect(await fixture.nodeChanges()).toEqual([]);
  });

  it.each([
    ['on_hold', { expire: null, onHoldExpireDuration: 60 }],
    ['disabled', { expire: PAST }],
    ['active', { expire: null }],
    ['active', { expire: FUTURE }],
  ] as const)('a user who is %s with %j does not expire', async (status, columns) => {
    const user = await fixture.user({}, { status, ...columns });
    const revision = await currentRevision(fixture.manager);
    await fixture.run();
    expect(await fixture.shown(user.username)).toEqual(user);
    expect(await currentRevision(fixture.manager)).toBe(revision);
  });

  it('is undone when the clock was ahead', async () => {
    const user = await fixture.user({ expire: FUTURE.toISOString() });
    await fixture.run(new Date(FUTURE.getTime() + DAY));
    expect(await fixture.shown(user.username)).toMatchObject({ status: 'expired' });
    await fixture.run();
    expect(await fixture.shown(user.username)).toEqual(user);
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, [TAG]]]);
  });
});

describe('a hold', () => {
  const held = { status: 'on_hold', on_hold_expire_duration: 3600, on_hold_timeout: FUTURE.toISOString() };
  const ended = { status: 'active', on_hold_expire_duration: null, on_hold_timeout: null };

  it('ends at its timeout, and its duration counts from then; nodes served the user all the time', async () => {
    const user = await fixture.user(held);
    await fixture.run(before(FUTURE));
    expect(await fixture.shown(user.username)).toEqual(user);
    await fixture.run(FUTURE);
    const expire = new Date(FUTURE.getTime() + 3600 * SECOND);
    expect(await fixture.shown(user.username)).toEqual({ ...user, ...ended, expire: expire.toISOString() });
    expect(await fixture.nodeChanges()).toEqual([]);
    await fixture.run(expire);
    expect(await fixture.shown(user.username)).toMatchObject({ status: 'expired' });
  });

  it('that should have ended while the service was stopped ends when it is back', async () => {
    const user = await fixture.user(held, { onHoldTimeout: PAST });
    const earliest = Date.now();
    await fixture.run();
    const expire = Date.parse(String((await fixture.shown(user.username)).expire)) - 3600 * SECOND;
    expect([expire >= earliest - 1, expire <= Date.now()]).toEqual([true, true]);
  });

  it('ends with the status limited when the traffic is used up', async () => {
    const user = await fixture.user({ ...held, data_limit: 5 }, { usedTraffic: 5 });
    await fixture.run(FUTURE);
    expect(await fixture.shown(user.username)).toMatchObject({ ...ended, status: 'limited' });
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, []]]);
  });
});

describe('the counter of traffic', () => {
  const created = new Date('2026-01-31T12:00:00.000Z');
  const after = (days: number, milliseconds = 0) => new Date(created.getTime() + days * DAY + milliseconds);
  const limited = { status: 'limited', createdAt: created, usedTraffic: 1200, pastTraffic: 30 } as const;

  it.each([
    ['day', 1],
    ['week', 7],
    ['month', 30],
    ['year', 365],
  ] as const)('returns to zero each %s, %s days from the creation', async (strategy, days) => {
    const terms = { data_limit: 1000, data_limit_reset_strategy: strategy };
    const user = await fixture.user(terms, { ...limited, nextResetAt: after(days) });
    await fixture.run(after(days, -1));
    expect(await fixture.shown(user.username)).toEqual(user);
    await fixture.run(after(days));
    expect(await fixture.shown(user.username)).toEqual({
      ...user,
      status: 'active',
      used_traffic: 0,
      lifetime_used_traffic: 1230,
    });
    expect(await fixture.resets(user.id)).toEqual([1200]);
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, [TAG]]]);
    const { nextResetAt } = await fixture.manager.findOneByOrFail(User, { id: user.id });
    expect(nextResetAt).toEqual(after(2 * days));
  });

  it('is reset once after many missed periods, and keeps its phase', async () => {
    const terms = { data_limit: 1000, data_limit_reset_strategy: 'day' };
    const user = await fixture.user(terms, { ...limited, nextResetAt: after(1) });
    await fixture.run(after(40, 5 * 3600 * SECOND));
    await fixture.manager.update(User, { id: user.id }, { usedTraffic: 7 });
    await fixture.run(after(41, -1));
    expect(await fixture.resets(user.id)).toEqual([1200]);
    await fixture.run(after(41));
    expect(await fixture.resets(user.id)).toEqual([1200, 7]);
    expect(await fixture.shown(user.username)).toMatchObject({ used_traffic: 0, lifetime_used_traffic: 1237 });
  });

  it.each([
    ['active', {}, 'active'],
    ['limited', { expire: PAST }, 'expired'],
    ['expired', { expire: PAST }, 'expired'],
    ['disabled', {}, 'disabled'],
    ['on_hold', { onHoldExpireDuration: 60 }, 'on_hold'],
  ] as const)(
    'of a user who is %s with %j is reset too, and leaves the status %s',
    async (status, columns, expected) => {
      const terms = { data_limit: 1000, data_limit_reset_strategy: 'day' };
      const user = await fixture.user(terms, { ...limited, ...columns, status, nextResetAt: after(1) });
      await fixture.run(after(1));
      expect(await fixture.shown(user.username)).toMatchObject({ status: expected, used_traffic: 0 });
    },
  );

  it('writes no log entry when nothing was used', async () => {
    const terms = { data_limit: 1000, data_limit_reset_strategy: 'day' };
    const user = await fixture.user(terms, { createdAt: created, nextResetAt: after(1) });
    await fixture.run(after(1));
    expect(await fixture.resets(user.id)).toEqual([]);
    expect(await fixture.nodeChanges()).toEqual([]);
  });

  it.each([
    [{ data_limit_reset_strategy: 'day' }, {}],
    [{ data_limit: 1000 }, {}],
    [{ data_limit: 1000, data_limit_reset_strategy: 'day' }, { data_limit: 0 }],
    [{ data_limit: 1000, data_limit_reset_strategy: 'day' }, { data_limit_reset_strategy: null }],
  ])('of a user with %j, changed by %j, never returns', async (terms, change) => {
    const { username, id } = await fixture.user(terms);
    await fixture.management.call('PUT', `/api/user/${username}`, change);
    await fixture.manager.update(User, { id }, { usedTraffic: 7 });
    await fixture.run(fixture.later(1000 * DAY));
    expect(await fixture.shown(username)).toMatchObject({ used_traffic: 7 });
  });

  it('follows a changed strategy from the creation of the user on, and a due reset is not lost', async () => {
    const nextReset = async () => (await fixture.manager.findOneByOrFail(User, { id: user.id })).nextResetAt?.getTime();
    const user = await fixture.user({ data_limit: 1000, data_limit_reset_strategy: 'week' });
    const creation = Date.parse(user.created_at);
    expect(Math.floor((await nextReset())!)).toBe(creation + 7 * DAY);
    const put = (change: object) => fixture.management.call('PUT', `/api/user/${user.username}`, change);
    await put({ data_limit_reset_strategy: 'day' });
    expect(await nextReset()).toBe(creation + DAY);
    await fixture.manager.update(User, { id: user.id }, { nextResetAt: PAST });
    await put({ data_limit: 2000, data_limit_reset_strategy: 'day' });
    expect(await nextReset()).toBe(PAST.getTime());
    await put({ data_limit: 0 });
    expect(await nextReset()).toBeUndefined();
  });
});

describe('UserLifeCycle', () => {
  it('does nothing while another replica runs it', async () => {
    const user = await fixture.user({ expire: FUTURE.toISOString() });
    await fixture.management.database.transaction(async (other) => {
      await other.query(`SELECT pg_advisory_xact_lock(${0x6c_69_66_65})`);
      await fixture.run(FUTURE);
    });
    expect(await fixture.shown(user.username)).toEqual(user);
    await fixture.run(FUTURE);
    expect(await fixture.shown(user.username)).toMatchObject({ status: 'expired' });
  });

  it('takes no revision when nothing is due', async () => {
    await fixture.user();
    const revision = await currentRevision(fixture.manager);
    await fixture.run(FUTURE);
    expect(await currentRevision(fixture.manager)).toBe(revision);
  });

  it('expires more users than one transaction holds, with one revision for each transaction', async () => {
    await fixture.user();
    const revision = await currentRevision(fixture.manager);
    await fixture.manager.query(
      `INSERT INTO users (username, expire)
       SELECT 'due' || n, '2020-01-01' FROM generate_series(1, 2001) n`,
    );
    await fixture.run();
    expect(await fixture.manager.countBy(User, { status: 'expired' })).toBe(2_001);
    expect((await fixture.nodeChanges()).length).toBe(2_001);
    expect(await currentRevision(fixture.manager)).toBe(revision + 2n);
  });
});
