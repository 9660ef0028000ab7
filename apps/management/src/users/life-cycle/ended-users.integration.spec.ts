import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MoreThan } from 'typeorm';
import { AuditEntry } from '../../audit/audit-entry.entity.js';
import { User } from '../../user-store/entities/user.entity.js';
import { DAY, LifeCycleFixture } from './testing/life-cycle-fixture.js';

const PAST = new Date('2020-01-01T00:00:00.000Z');

let fixture: LifeCycleFixture;

/** Runs the life cycle at a moment, and returns the names of the remaining users. */
async function left(at: Date): Promise<string[]> {
  await fixture.run(at);
  return (await fixture.manager.find(User, { order: { id: 'ASC' } })).map(({ username }) => username);
}

/** Creates a user who expired this number of days ago. */
async function ended(days: number, columns: Partial<Omit<User, 'admin'>> = {}) {
  const user = await fixture.user({}, { status: 'expired', expire: PAST, ...columns });
  await fixture.manager.query('UPDATE users SET status_changed_at = $2 WHERE id = $1', [
    user.id,
    fixture.later(-days * DAY),
  ]);
  return user;
}

describe('a user at the end', () => {
  beforeAll(async () => {
    fixture = await LifeCycleFixture.start();
  });
  afterAll(() => fixture?.close());
  beforeEach(() => fixture.clear());

  it('a user whose end has passed is deleted after its own number of days, and nodes are told', async () => {
    const user = await ended(7, { autoDeleteInDays: 7 });
    const kept = await ended(7, { autoDeleteInDays: 8 });
    expect(await left(new Date())).toEqual([kept.username]);
    expect(await fixture.nodeChanges()).toEqual([[`${user.id}.${user.username}`, []]]);
    expect(await left(fixture.later(DAY))).toEqual([]);
  });

  it('a user whose end has passed is deleted at once with 0 days, and never without a number of days', async () => {
    await ended(0, { autoDeleteInDays: 0 });
    const kept = await ended(3000);
    expect(await left(new Date())).toEqual([kept.username]);
  });

  it('a user whose end has passed is kept when its end is moved to a later moment, from which the days then count', async () => {
    const { username } = await ended(6, { autoDeleteInDays: 7 });
    const expire = (at: Date) => fixture.management.call('PUT', `/api/user/${username}`, { expire: at.toISOString() });
    await expire(fixture.later(30 * DAY));
    expect(await left(fixture.later(20 * DAY))).toEqual([username]);
    await expire(PAST);
    expect(await left(fixture.later(6.9 * DAY))).toEqual([username]);
    expect(await left(fixture.later(7 * DAY))).toEqual([]);
  });

  it('a user who had ended from the beginning is deleted by the days since that end', async () => {
    const user = await fixture.user({ expire: PAST.toISOString(), auto_delete_in_days: 2 });
    expect(user.status).toBe('expired');
    expect(await left(fixture.later(1.9 * DAY))).toEqual([user.username]);
    expect(await left(fixture.later(2 * DAY))).toEqual([]);
  });

  it.each(['active', 'disabled', 'on_hold', 'limited'] as const)(
    'a user who is %s is not deleted as one at the end',
    async (status) => {
      const terms = { expire: null, dataLimit: 1, usedTraffic: status === 'limited' ? 1 : 0, onHoldExpireDuration: 60 };
      const user = await ended(30, { ...terms, status, autoDeleteInDays: 1 });
      expect(await left(new Date())).toEqual([user.username]);
    },
  );
});

describe('RAMPART_AUTO_DELETE_DAYS and RAMPART_AUTO_DELETE_LIMITED', () => {
  beforeAll(async () => {
    fixture = await LifeCycleFixture.start({ RAMPART_AUTO_DELETE_DAYS: '30', RAMPART_AUTO_DELETE_LIMITED: 'true' });
  });
  afterAll(() => fixture?.close());

  it('the days of the settings hold for users without days of their own, and for users without traffic', async () => {
    const limited = { status: 'limited', expire: null, dataLimit: 1, usedTraffic: 1 } as const;
    const gone = [await ended(31), await ended(31, limited), await ended(2, { ...limited, autoDeleteInDays: 1 })];
    const kept = [await ended(29), await ended(29, limited), await ended(31, { autoDeleteInDays: 60 })];
    const active = await fixture.user({}, { expire: null });
    expect(await left(new Date())).toEqual([...kept, active].map(({ username }) => username));
    expect(await fixture.manager.find(AuditEntry, { where: { action: 'user.auto_delete' } })).toMatchObject([
      {
        actor: 'system',
        actorId: null,
        target: 'users',
        difference: {
          affected_users: { after: 3 },
          usernames: { before: gone.map(({ username }) => username) },
        },
      },
    ]);
  });

  it('delete all users that are due, some by their own days and some by the settings', async () => {
    await fixture.clear();
    await fixture.manager.query(
      `INSERT INTO users (username, status, expire, auto_delete_in_days, created_at)
       SELECT 'ended' || n, 'expired', '2020-01-01', CASE WHEN n % 2 = 0 THEN 0 END, '2020-01-01'
       FROM generate_series(1, 5000) n`,
    );
    const last = { order: { id: 'DESC' } } as const;
    const [before] = await fixture.manager.find(AuditEntry, { ...last, take: 1 });
    expect(await left(new Date())).toEqual([]);
    const entries = await fixture.manager.find(AuditEntry, { ...last, where: { id: MoreThan(String(before?.id)) } });
    // There is one entry for each batch of at most 2,000 users, with their names.
    expect(entries.map(({ action, difference }) => [action, difference['affected_users']?.after])).toEqual([
      ['user.auto_delete', 1000],
      ['user.auto_delete', 2000],
      ['user.auto_delete', 2000],
    ]);
    const names = new Set(entries.flatMap(({ difference }) => difference['usernames']?.before));
    expect(names.size).toBe(5000);
  });
});
