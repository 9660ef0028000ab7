import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newProxySettings, settleUserState, USER_STATUSES } from '@rampart/domain';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { changeUsers, shiftedDataLimit, shiftedExpire } from '../../user-store/bulk-changes.js';
import { User } from '../../user-store/entities/user.entity.js';

const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const inDays = (days: number): Date => new Date(NOW + days * DAY * 1_000);

/** Users with every combination of status and terms, including statuses that do not follow from the terms. */
const USERS = USER_STATUSES.flatMap((status) =>
  [null, inDays(-3), inDays(-1), inDays(1), inDays(3)].flatMap((expire) =>
    [0, 5, 10].flatMap((dataLimit) =>
      [0, 5, 10].map((usedTraffic) => ({ status, expire, dataLimit, usedTraffic, onHoldTimeout: null })),
    ),
  ),
).map((terms, index) => ({
  ...terms,
  id: index + 1,
  username: `user${index}`,
  onHoldExpireDuration: terms.status === 'on_hold' ? 60 : null,
}));

let database: DataSource;
beforeAll(async () => {
  database = await createMigratedDatabase();
});
beforeEach(async () => {
  await database.query('DELETE FROM users');
  // TypeORM changes the objects that it inserts, so they are copied.
  await database.manager.insert(
    User,
    USERS.map((user) => ({ ...user, proxySettings: newProxySettings(randomBytes) })),
  );
});

const EVERYBODY = { sql: 'true', parameters: [] };
const served = ({ status }: { status: string }) => status === 'active' || status === 'on_hold';

it.each([2, -2, 9, -9])('users whose end moves by %i days get the status that the domain says', async (days) => {
  const { count, userIdsForNodes } = await changeUsers(database.manager, shiftedExpire(EVERYBODY, days * DAY));
  const concerned = USERS.filter(({ expire }) => expire !== null);
  const expected = concerned.map((user) =>
    settleUserState(
      { ...user, expire: user.expire && new Date(user.expire.getTime() + days * DAY * 1_000) },
      new Date(),
    ),
  );
  await expectChanged(concerned, expected, count, userIdsForNodes);
});

it.each([3, -3, 5, -5, 90])(
  'users whose limit changes by %i bytes get the status that the domain says',
  async (bytes) => {
    const { count, userIdsForNodes } = await changeUsers(database.manager, shiftedDataLimit(EVERYBODY, bytes));
    const concerned = USERS.filter(({ dataLimit }) => dataLimit > 0 && Math.max(dataLimit + bytes, 1) !== dataLimit);
    const expected = concerned.map((user) =>
      settleUserState({ ...user, dataLimit: Math.max(user.dataLimit + bytes, 1) }, new Date()),
    );
    await expectChanged(concerned, expected, count, userIdsForNodes);
  },
);

async function expectChanged(
  before: typeof USERS,
  expected: typeof USERS,
  count: number,
  userIdsForNodes: number[],
): Promise<void> {
  const after = await database.manager.find(User, { order: { id: 'ASC' } });
  const changed = new Map(expected.map((user) => [user.id, user]));
  const terms = ({ id, status, expire, dataLimit }: (typeof USERS)[number] | User) => [id, status, expire, dataLimit];
  expect(after.map(terms)).toEqual(USERS.map((user) => terms(changed.get(user.id) ?? user)));
  expect(count).toBe(expected.length);
  const turned = before.filter((user, index) => served(user) !== served(expected[index] ?? user));
  expect(userIdsForNodes.toSorted((a, b) => a - b)).toEqual(turned.map(({ id }) => id));
}
