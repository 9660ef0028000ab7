import { beforeAll, describe, expect, it } from '@jest/globals';
import { nextReset, settleUserState, USER_STATUSES, type UserState, withChosenStatus } from '@rampart/domain';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { User } from '../../user-store/entities/user.entity.js';
import { dueUsers } from '../../user-store/life-cycle/due-users.js';
import { settleUsers } from '../../user-store/life-cycle/settle-users.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
/** The creation of all users, from which daily and weekly resets are counted; at NOW a reset may be due. */
const CREATED = later(-20 * 86_400);

interface RandomUser extends UserState {
  dataLimitResetStrategy: 'no_reset' | 'day' | 'week';
  resetIn: number;
  /** Whether traffic was recorded, which ends a hold. */
  noticed: boolean;
}

const moments = fc.option(fc.integer({ min: -5, max: 5 }).map(later), { nil: null });
const anyUser: fc.Arbitrary<RandomUser> = fc.record({
  status: fc.constantFrom(...USER_STATUSES),
  expire: moments,
  dataLimit: fc.integer({ min: 0, max: 5 }),
  usedTraffic: fc.integer({ min: 0, max: 5 }),
  onHoldExpireDuration: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
  onHoldTimeout: moments,
  dataLimitResetStrategy: fc.constantFrom('no_reset', 'day', 'week'),
  resetIn: fc.integer({ min: -2, max: 2 }),
  noticed: fc.boolean(),
});

/** Users as they are stored: settled six seconds ago, with a notice when traffic has reached the limit since then. */
const settledUser = fc.tuple(anyUser, fc.integer({ min: 0, max: 5 })).map(([user, more]): RandomUser => {
  const before = settleUserState(user, later(-6));
  const usedTraffic = before.status === 'limited' ? before.usedTraffic : before.usedTraffic + more;
  const reached = before.status === 'active' && before.dataLimit > 0 && usedTraffic >= before.dataLimit;
  return { ...before, usedTraffic, noticed: reached || (before.status === 'on_hold' && before.noticed) };
});

const resetAt = (user: RandomUser): Date | null =>
  nextReset({ ...user, createdAt: later(user.resetIn - 14 * 86_400) }, later(-3));

/** The state that the domain computes for a user: first the reset, then the end of a hold, then the terms. */
function byDomain(user: RandomUser) {
  const reset = resetAt(user);
  const isDue = reset !== null && reset <= NOW;
  const counted = isDue ? { ...user, usedTraffic: 0 } : user;
  const ends = user.status === 'on_hold' && user.noticed;
  const after = ends ? withChosenStatus(counted, 'active', NOW) : settleUserState(counted, NOW);
  return { ...columnsOf(after), nextResetAt: isDue ? nextReset({ ...user, createdAt: reset }, NOW) : reset };
}

const columnsOf = ({ status, expire, usedTraffic, onHoldExpireDuration, onHoldTimeout }: UserState) => ({
  status,
  expire,
  usedTraffic,
  onHoldExpireDuration,
  onHoldTimeout,
});

describe(settleUsers, () => {
  let database: DataSource;
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });

  /** Stores these users, settles those that `idsOf` returns, and returns the state of all of them. */
  async function byDatabase(users: readonly RandomUser[], idsOf: () => Promise<readonly number[]>) {
    await database.query('DELETE FROM users');
    const rows = users.map((user, index) => ({ ...user, id: index + 1, nextResetAt: resetAt(user) }));
    await database.query(
      `INSERT INTO users (id, username, created_at, status, expire, data_limit, used_traffic,
         on_hold_expire_duration, on_hold_timeout, data_limit_reset_strategy, next_reset_at)
       SELECT id, 'user' || id, $2, status, expire, "dataLimit", "usedTraffic", "onHoldExpireDuration",
         "onHoldTimeout", "dataLimitResetStrategy", "nextResetAt"
       FROM jsonb_to_recordset($1) AS given (id integer, status text, expire timestamptz, "dataLimit" bigint,
         "usedTraffic" bigint, "onHoldExpireDuration" bigint, "onHoldTimeout" timestamptz,
         "dataLimitResetStrategy" text, "nextResetAt" timestamptz)`,
      [JSON.stringify(rows), CREATED],
    );
    await database.query(
      `INSERT INTO user_traffic_notices SELECT id, '-infinity' FROM unnest($1::integer[]) AS noticed (id)`,
      [rows.flatMap(({ id, noticed }) => (noticed ? [id] : []))],
    );
    const ids = await idsOf();
    await database.transaction((manager) => settleUsers(manager, { ids, now: NOW }));
    const after = await database.manager.find(User, { order: { id: 'ASC' } });
    return after.map((user) => ({ ...columnsOf(user), nextResetAt: user.nextResetAt }));
  }

  const agrees = (
    user: fc.Arbitrary<RandomUser>,
    idsOf: (users: readonly RandomUser[]) => Promise<readonly number[]>,
  ) =>
    fc.assert(
      fc.asyncProperty(fc.array(user, { minLength: 300, maxLength: 300 }), async (users) => {
        expect(await byDatabase(users, () => idsOf(users))).toEqual(users.map(byDomain));
      }),
      { numRuns: 4, endOnFailure: true },
    );

  it('settleUsers brings every user into the same state as the domain does', async () => {
    await agrees(anyUser, async (users) => users.map((_, index) => index + 1));
  });

  it('dueUsers finds every user whom the domain would change', async () => {
    await agrees(settledUser, async () => (await dueUsers(database.manager, 10_000, NOW)).ids);
  });
});
