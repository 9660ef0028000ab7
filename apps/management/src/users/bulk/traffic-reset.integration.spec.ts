import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { User } from '../../user-store/entities/user.entity.js';
import { UserTrafficReset } from '../../user-store/entities/user-traffic-reset.entity.js';
import { BEFORE, BulkFixture, TAG } from './testing/bulk-fixture.js';

let fixture: BulkFixture;
beforeAll(async () => {
  fixture = await BulkFixture.start();
});
beforeEach(() => fixture.reset());
afterAll(() => fixture?.close());

const reset = () => fixture.post('reset', {});
const manager = () => fixture.management.database.manager;
const log = async () => {
  const resets = await manager().find(UserTrafficReset, { order: { userId: 'ASC', id: 'ASC' } });
  return resets.map(({ userId, usedTraffic }) => [userId, usedTraffic]);
};

describe('POST /api/users/reset', () => {
  it('sets the counters of all users to zero; limited users are served again, all others keep their status', async () => {
    expect(await reset()).toEqual({ status: 200, body: {} });
    expect(await fixture.stored()).toEqual({ ...BEFORE, 14: ['active', 10, 100], 19: ['active', 1, 100] });
    expect((await fixture.users()).map(({ usedTraffic }) => usedTraffic)).toEqual(Object.keys(BEFORE).map(() => 0));
  });

  it('does not serve a limited user whose end has passed meanwhile', async () => {
    await manager().update(User, { id: 14 }, { expire: new Date('2020-01-01') });
    await reset();
    expect((await fixture.stored())[14]?.[0]).toBe('expired');
  });

  it('adds the used traffic of all users to their totals, and logs the moment', async () => {
    await manager().update(User, { id: 19 }, { pastTraffic: Number.MAX_SAFE_INTEGER - 100 });
    await reset();
    const used: [id: number, bytes: number][] = [
      [11, 7],
      [12, 50],
      [13, 99],
      [14, 100],
      [15, 100],
      [16, 100],
      [18, 100],
      [19, 150],
    ];
    expect(await log()).toEqual(used);
    const past = new Map([...used, [17, 0], [19, Number.MAX_SAFE_INTEGER]]);
    expect((await fixture.users()).map(({ id, pastTraffic }) => [id, pastTraffic])).toEqual(
      [...past].sort(([a], [b]) => a - b),
    );
    await reset();
    expect(await log()).toEqual(used);
  });

  it('tells nodes only of the users that they serve again', async () => {
    const revision = await fixture.revision();
    await reset();
    expect(await fixture.nodeChangesSince(revision)).toEqual([
      [14, [TAG]],
      [19, [TAG]],
    ]);
    await reset();
    expect(await fixture.revision()).toBe(revision + 1n);
  });

  it('is for sudo admins only', async () => {
    const before = await fixture.users();
    expect(await fixture.post('reset', {}, fixture.plain)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    expect(await fixture.users()).toEqual(before);
  });
});
