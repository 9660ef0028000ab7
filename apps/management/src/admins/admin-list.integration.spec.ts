import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Admin } from './store/admin.entity.js';
import { ADD_ADMIN_TRAFFIC } from './store/admin.repository.js';
import { AdminTrafficReset } from './store/admin-traffic-reset.entity.js';
import { ADMIN_NOT_FOUND, AdminFixture } from './testing/admin-fixture.js';

let fixture: AdminFixture;
beforeAll(async () => {
  fixture = await AdminFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.removeOthers());

describe('GET /api/admins', () => {
  const list = async (query = '') => {
    const { status, body } = await fixture.management.call('GET', `/api/admins${query}`);
    return { status, names: Array.isArray(body) ? body.map((one: object) => Reflect.get(one, 'username')) : body };
  };

  beforeEach(async () => {
    for (const [username, used] of [
      ['Anna', 30],
      ['berta', 10],
      ['clara', 20],
    ] as const) {
      await fixture.create(username);
      await fixture.manager.update(Admin, { username }, { usedTraffic: used, pastTraffic: 5 });
    }
    await fixture.management.database.query(
      `INSERT INTO users (username, admin_id)
       SELECT 'user' || n, (SELECT id FROM admins WHERE username = 'berta') FROM generate_series(1, 3) n`,
    );
  });

  it('returns a bare array of all admins, with their sums', async () => {
    expect(await fixture.management.call('GET', '/api/admins?limit=2&offset=1')).toEqual({
      status: 200,
      body: [
        { ...(await fixture.shown('Anna')), used_traffic: 30, lifetime_used_traffic: 35 },
        { ...(await fixture.shown('berta')), used_traffic: 10, lifetime_used_traffic: 15, total_users: 3 },
      ],
    });
  });

  it.each([
    ['', ['root', 'Anna', 'berta', 'clara']],
    ['?sort=', ['root', 'Anna', 'berta', 'clara']],
    ['?sort=-username', ['root', 'clara', 'berta', 'Anna']],
    ['?sort=used_traffic', ['root', 'berta', 'clara', 'Anna']],
    ['?sort=-used_traffic,username', ['Anna', 'clara', 'berta', 'root']],
    ['?sort=-created_at', ['clara', 'berta', 'Anna', 'root']],
    ['?username=A&sort=username', ['Anna', 'berta', 'clara']],
    ['?username=%25', []],
    ['?username=a&offset=1&limit=1', ['berta']],
    ['?limit=0', ['root', 'Anna', 'berta', 'clara']],
  ])('GET /api/admins%s filters, sorts and pages the admins', async (query, names) => {
    expect(await list(query)).toEqual({ status: 200, names });
  });

  it.each([
    ['sort=password', { sort: '"password" is not a valid sort option' }],
    ['sort=a&sort=b', { sort: '"a,b" is not a valid sort option' }],
    ['offset=-1', { offset: 'Input should be an integer from 0 to 2147483647' }],
    ['limit=x', { limit: 'Input should be an integer from 0 to 2147483647' }],
    [`username=${'x'.repeat(129)}`, { username: 'Input should have at most 128 characters' }],
  ])('refuses ?%s', async (query, detail) => {
    expect(await fixture.management.call('GET', `/api/admins?${query}`)).toEqual({
      status: 422,
      body: { detail, code: 'INVALID_FIELDS' },
    });
  });
});

describe('the traffic of an admin', () => {
  const add = (id: number, bytes: bigint) =>
    fixture.management.database.query(ADD_ADMIN_TRAFFIC, [
      [id, 1_000_000],
      [`${bytes}`, '1'],
    ]);

  it('is reset to zero, and the reset is logged with the used bytes', async () => {
    await fixture.create('plain');
    const id = await fixture.idOf('plain');
    await add(id, 7n);
    expect(await fixture.management.call('POST', '/api/admin/plain/reset')).toEqual({
      status: 200,
      body: { ...(await fixture.shown('plain')), lifetime_used_traffic: 7 },
    });
    expect(await fixture.lastEntry()).toEqual({
      actor: 'root',
      action: 'admin.reset',
      target: 'admin/plain',
      difference: { used_traffic: { before: 7, after: 0 } },
    });
    expect(await fixture.manager.find(AdminTrafficReset)).toEqual([
      { id: expect.any(String), adminId: id, usedTraffic: 7, resetAt: expect.any(Date) },
    ]);
    await add(id, 4n);
    expect(await fixture.management.call('GET', '/api/admins?username=plain')).toMatchObject({
      body: [{ used_traffic: 4, lifetime_used_traffic: 11 }],
    });
  });

  it('stays within what a number holds exactly', async () => {
    await fixture.create('plain');
    const most = Number.MAX_SAFE_INTEGER;
    await add(await fixture.idOf('plain'), 2n ** 62n);
    await fixture.management.call('POST', '/api/admin/plain/reset');
    await add(await fixture.idOf('plain'), 2n ** 62n);
    expect(await fixture.management.call('GET', '/api/admins?username=plain')).toMatchObject({
      body: [{ used_traffic: most, lifetime_used_traffic: 2 * most }],
    });
    expect(await fixture.management.call('POST', '/api/admin/plain/reset')).toMatchObject({
      body: { lifetime_used_traffic: most },
    });
  });

  it('the reset of the traffic of an unknown admin is answered with 404', async () => {
    expect(await fixture.changesNothing(() => fixture.management.call('POST', '/api/admin/nobody/reset'))).toEqual(
      ADMIN_NOT_FOUND,
    );
  });
});
