import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { LifeCycleFixture } from './testing/life-cycle-fixture.js';

const PAST = new Date('2020-01-01T00:00:00.000Z');
/** A plan that cannot begin, because its data limit is larger than the column can hold. */
const ENDLESS_PLAN = { user_template_id: null, data_limit: 1e30, expire: 0, add_remaining_traffic: false };

let fixture: LifeCycleFixture;
beforeAll(async () => {
  fixture = await LifeCycleFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.clear());

const setPlan = (id: number, plan: object | null) =>
  fixture.manager.query('UPDATE users SET next_plan = $2 WHERE id = $1', [id, plan && JSON.stringify(plan)]);
const shown = async (token?: string) => {
  const { body } = await fixture.management.call('GET', '/api/system', undefined, token);
  return Reflect.get(Object(body), 'unsettled_users');
};

describe('a user who cannot be settled', () => {
  it('is set aside by name, logged and shown, while all others continue; once repaired, it is settled later', async () => {
    const others = [];
    for (let count = 0; count < 7; count += 1) others.push(await fixture.user({}, { expire: PAST }));
    const broken = await fixture.user({}, { expire: PAST });
    for (let count = 0; count < 4; count += 1) others.push(await fixture.user({}, { expire: PAST }));
    await setPlan(broken.id, ENDLESS_PLAN);
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    try {
      await fixture.run();
      expect(logged.mock.calls).toEqual([
        [
          expect.stringMatching(
            `^the user "${broken.username}" is set aside, because what is due fails: .*out of range`,
          ),
        ],
      ]);
      // The next run does not try the user again, because ten minutes have not passed.
      await fixture.run();
      expect(logged).toHaveBeenCalledTimes(1);
    } finally {
      logged.mockRestore();
    }
    for (const { username } of others) expect(await fixture.shown(username)).toMatchObject({ status: 'expired' });
    expect(await fixture.shown(broken.username)).toMatchObject({ status: 'active' });
    expect(await shown()).toEqual([{ username: broken.username, since: expect.stringMatching(/^20\d\d-.*Z$/) }]);
    expect(await shown(await fixture.management.plainAdmin('stranger'))).toEqual([]);

    await setPlan(broken.id, null);
    await fixture.run(new Date(Date.now() + 11 * 60_000));
    expect(await fixture.shown(broken.username)).toMatchObject({ status: 'expired' });
    expect(await shown()).toEqual([]);
  });

  it('is no longer shown after it was deleted', async () => {
    const broken = await fixture.user({}, { expire: PAST });
    await setPlan(broken.id, ENDLESS_PLAN);
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    await fixture.run();
    logged.mockRestore();
    expect(await shown()).toHaveLength(1);
    expect((await fixture.management.call('DELETE', `/api/user/${broken.username}`)).status).toBe(204);
    expect(await shown()).toEqual([]);
  });
});
