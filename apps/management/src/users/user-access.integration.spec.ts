import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PasswordHasher } from '../admins/passwords/password-hasher.js';
import { Admin } from '../admins/store/admin.entity.js';
import { writeUpdates } from '../subscriptions/updates/write-updates.js';
import { make, newName } from '../testing/mutations/mutation.js';
import { MUTATIONS } from '../testing/mutations/mutations.js';
import { type Method, type Route, routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { insertUsageHours } from '../usage/testing/usage-fixture.js';
import { User } from '../user-store/entities/user.entity.js';

const FORBIDDEN = { status: 403, body: { detail: "You're not allowed", code: 'FORBIDDEN' } };
const NOT_FOUND = { status: 404, body: { detail: 'User not found', code: 'USER_NOT_FOUND' } };
const NOBODY = { detail: 'operation has been successfuly done on 0 users' };

/** Routes for every admin that concern no user, or create users of the caller. */
const OF_NO_USER = [
  'DELETE /api/admin/passwords-without-code',
  'DELETE /api/admin/session',
  'DELETE /api/admin/sessions',
  'DELETE /api/admin/tokens',
  'DELETE /api/admin/tokens/:token_id',
  'DELETE /api/session/:session_id',
  'DELETE /api/token/:token_id',
  'GET /api/admin',
  'GET /api/admin/sessions',
  'GET /api/admin/totp',
  'GET /api/admin/tokens',
  'GET /api/events',
  'GET /api/group/:group_id',
  'GET /api/groups',
  'GET /api/inbounds',
  'GET /api/settings/general',
  'GET /api/user_template/:template_id',
  'GET /api/user_templates',
  'POST /api/admin/step-up',
  'POST /api/admin/tokens',
  'POST /api/admin/totp',
  'POST /api/admin/totp/confirm',
  'POST /api/admin/totp/disable',
  'POST /api/user',
  'POST /api/user/from_template',
  'POST /api/users/bulk/from_template',
  'PUT /api/admin',
];

/** Routes over many users, with requests to them and the answer that an admin without users must get. */
const OVER_USERS: Readonly<Record<string, { asked: readonly (string | object)[]; answer: object }>> = {
  'GET /api/users': {
    asked: ['', '?username=theirs', '?admin=owner', '?search=theirs', '?load_sub=true&group=1', '?status=expired'],
    answer: { users: [], total: 0 },
  },
  'GET /api/users/expired': { asked: ['', '?admin_username=owner'], answer: [] },
  'DELETE /api/users/expired': { asked: ['', '?admin_username=owner'], answer: { users: [], count: 0 } },
  'GET /api/users/usage': {
    asked: ['', '?admin=owner', '?group_by_node=true', '?node_id=1'],
    answer: { period: 'hour', start: expect.any(String), end: expect.any(String), stats: {} },
  },
  'GET /api/users/sub_update/chart': {
    asked: ['', '?user_id=1', '?username=theirs1', '?admin_id=2'],
    answer: { total: 0, segments: [] },
  },
  'GET /api/system': {
    asked: ['', '?admin_username=owner'],
    answer: expect.objectContaining({ total_user: 0, online_users: 0, active_users: 0, expired_users: 0 }),
  },
  'POST /api/groups/bulk/add': { asked: targets({ group_ids: [2] }), answer: NOBODY },
  'POST /api/groups/bulk/remove': { asked: targets({ group_ids: [1] }), answer: NOBODY },
  'POST /api/users/bulk/expire': { asked: targets({ amount: 60 }), answer: NOBODY },
  'POST /api/users/bulk/data_limit': { asked: targets({ amount: 60 }), answer: NOBODY },
  'POST /api/users/bulk/proxy_settings': { asked: targets({ method: 'aes-256-gcm' }), answer: NOBODY },
};

function targets(request: object): object[] {
  return [{}, { users: [1, 2] }, { admins: [1, 2] }, { users: null, admins: [2] }].map((target) => ({
    ...request,
    ...target,
  }));
}

let management: TestManagement;
let owner: string;
let other: string;
let open: Route[];
beforeAll(async () => {
  management = await TestManagement.start();
  const { manager } = management.database;
  const passwordHash = await management.app.get(PasswordHasher).hash(SUDO.password);
  await manager.insert(Admin, [
    { id: 2, username: 'owner', passwordHash },
    { id: 3, username: 'other', passwordHash },
  ]);
  owner = await management.login('owner', SUDO.password);
  other = await management.login('other', SUDO.password);
  for (const name of ['one', 'two']) await make(management, '/api/group', { name, inbound_tags: ['Shadowsocks TCP'] });
  for (const [id, adminId] of [
    [1, 2],
    [2, null],
  ]) {
    const terms = { expire: 1, data_limit: 5, group_ids: [1] };
    await make(management, '/api/user', { username: `theirs${id}`, ...terms });
    await manager.update(User, { id }, { adminId, onlineAt: new Date() });
  }
  await insertUsageHours(management.database, [
    { userId: 1, adminId: 2, nodeId: 1, hour: new Date().toISOString(), bytes: 7 },
  ]);
  await writeUpdates(manager, [{ userId: 1, userAgent: 'Happ/3', at: new Date() }]);
  open = routesOf(management.app).filter(({ level }) => level === 'admin');
});
afterAll(() => management?.close());

const named = () => open.filter(({ path }) => path.includes(':username'));

/** All rows of users, and last the number of audit entries. */
async function stored(): Promise<unknown[]> {
  const { manager } = management.database;
  const tables = ['users', 'user_groups', 'user_revisions', 'user_traffic_resets'];
  const rows = tables.map((table) => manager.query(`SELECT * FROM ${table} ORDER BY 1, 2`));
  return Promise.all([...rows, manager.query('SELECT count(*) FROM audit_entries')]);
}

/** A request to a route about one user, with a new user of this admin. */
async function requestOf({ method, path, route }: Route, adminId: number | null) {
  const request =
    method === 'GET'
      ? { url: path.replace(':username', (await make(management, '/api/user', { username: newName() })).username) }
      : await MUTATIONS[route]?.prepare(management);
  if (!request) throw new Error(`${route} is not among the mutations`);
  const username = path
    .split('/')
    .flatMap((part, index) => (part === ':username' ? request.url.split('/')[index] : []))
    .join();
  await management.database.manager.update(User, { username }, { adminId });
  return { method, username, ...request };
}

const call = ({ method, url, body }: { method: Method; url: string; body?: object }, token?: string) =>
  management.call(method, url, body, token);

describe('security row 7: users of other admins', () => {
  it('users of other admins are tested on every route that is open to all admins', () => {
    const known = [...OF_NO_USER, ...Object.keys(OVER_USERS), ...named().map(({ route }) => route)];
    expect(open.map(({ route }) => route).sort()).toEqual(known.sort());
  });

  it.each([
    ['of another admin', 2],
    ['of nobody', null],
  ])('users of other admins are closed to a plain admin by name: a user %s', async (_, adminId) => {
    expect(named().length).toBeGreaterThan(5);
    for (const route of named()) {
      const request = await requestOf(route, adminId);
      const before = await stored();
      expect({ ...route, ...(await call(request, other)) }).toEqual({ ...route, ...FORBIDDEN });
      expect(await stored()).toEqual(before);
    }
  });

  it('users of other admins are accessible by name for their owner and for sudo admins', async () => {
    for (const route of named()) {
      for (const token of [owner, undefined]) {
        const { status } = await call(await requestOf(route, 2), token);
        expect({ ...route, status }).toEqual({ ...route, status: route.method === 'DELETE' ? 204 : 200 });
      }
    }
  });

  it('users of other admins are distinguished from unknown names, which get 404 on every route', async () => {
    for (const route of named()) {
      const { username, url, ...request } = await requestOf(route, 2);
      const before = await stored();
      for (const name of ['nobody', username.toUpperCase(), `..%2F${username}`]) {
        const answer = await call({ ...request, url: url.replace(username, name) });
        expect({ ...route, name, ...answer }).toEqual({ ...route, name, ...NOT_FOUND });
      }
      expect(await stored()).toEqual(before);
    }
  });

  it.each(Object.entries(OVER_USERS))(
    'users of other admins are not among those of %s',
    async (route, { asked, answer }) => {
      const found = open.find((known) => known.route === route);
      if (!found) throw new Error(`there is no route ${route}`);
      const { method, path } = found;
      const before = await stored();
      for (const query of asked) {
        const request = typeof query === 'string' ? { url: `${path}${query}` } : { url: path, body: query };
        expect({ query, ...(await call({ method, ...request }, other)) }).toEqual({ query, status: 200, body: answer });
      }
      // The last element counts audit entries: the attempt itself is logged.
      expect((await stored()).slice(0, -1)).toEqual(before.slice(0, -1));
    },
  );

  it('users of other admins are reached by a sudo admin on each of these routes', async () => {
    for (const [route, { asked, answer }] of Object.entries(OVER_USERS)) {
      const [method, path] = route.split(' ');
      const body = { ...Object(asked[0]), dry_run: true };
      if (method === 'DELETE') continue;
      const found = await management.call(
        method === 'GET' ? 'GET' : 'POST',
        `${path}`,
        method === 'GET' ? undefined : body,
      );
      expect({ route, ...found }).not.toEqual({ route, status: 200, body: answer });
      expect(found).not.toMatchObject({ body: { affected_users: 0 } });
    }
  });
});
