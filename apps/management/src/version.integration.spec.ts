import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LEAF } from './nodes/testing/certificates.js';
import { SUDO, TestManagement } from './testing/test-management.js';

const TAG = 'Shadowsocks TCP';
const NODE = {
  name: 'near',
  address: '127.0.0.1',
  port: 9, // no program listens on this port
  connection_type: 'grpc',
  server_ca: LEAF,
  keep_alive: 60,
  core_config_id: 1,
  api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
};
const HOST = { remark: 'one', inbound_tag: TAG, priority: 1 };
const CORE = {
  name: 'one',
  config: {
    inbounds: [{ tag: 'ws', protocol: 'vless', port: 80, settings: { decryption: 'none' } }],
    outbounds: [{ tag: 'out', protocol: 'freedom' }],
  },
};

/** Every object that can be edited: where it is, and three different edits of it. */
const OBJECTS: [string, string, string, object, object[]][] = [
  ['user', '/api/user', '/api/user/edited', { username: 'edited' }, [{ note: 'a' }, { note: 'b' }, { note: 'c' }]],
  [
    'core',
    '/api/core',
    '/api/core/2',
    CORE,
    [
      { ...CORE, name: 'a' },
      { ...CORE, name: 'b' },
      { ...CORE, name: 'c' },
    ],
  ],
  [
    'host',
    '/api/host',
    '/api/host/1',
    HOST,
    [
      { ...HOST, remark: 'a' },
      { ...HOST, remark: 'b' },
      { ...HOST, remark: 'c' },
    ],
  ],
  [
    'group',
    '/api/group',
    '/api/group/1',
    { name: 'one', inbound_tags: [TAG] },
    [{ name: 'aaa' }, { is_disabled: true }, { name: 'ccc', is_disabled: false }],
  ],
  [
    'user template',
    '/api/user_template',
    '/api/user_template/1',
    { name: 'one', group_ids: [1] },
    [{ name: 'a' }, { data_limit: 5 }, { name: 'c', data_limit: 6 }],
  ],
  [
    'node',
    '/api/node',
    '/api/node/1',
    NODE,
    [{ name: 'a' }, { api_key: NODE.api_key }, { name: 'c', status: 'disabled' }],
  ],
];

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const send = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, body?: object, match?: string) =>
  management.request(method, url, body, undefined, match === undefined ? {} : { 'if-match': match });
const versionIn = (body: unknown): string => Object(body).version;
const conflict = (current: unknown) => ({
  status: 412,
  body: {
    detail: 'The object was changed meanwhile: compare with `current`, and try again',
    code: 'VERSION_CONFLICT',
    current,
  },
});

describe.each(OBJECTS)('the version of a %s', (_, list, url, created, [first, second, third]) => {
  it('the version of an object is in the ETag of every answer, in lists, and changes with each edit', async () => {
    const made = await send('POST', list, created);
    expect(made.status).toBe(201);
    const seen = [made, await send('GET', url), await send('PUT', url, first), await send('GET', url)];
    expect(seen.map(({ headers: { etag } }) => etag)).toEqual(seen.map(({ body }) => `"${versionIn(body)}"`));
    const [one, two, three, four] = seen.map(({ body }) => versionIn(body));
    expect([one, three]).toEqual([two, four]);
    expect(three).not.toBe(one);
    const { text } = await send('GET', `${list}s`);
    expect(text).toContain(`"version":"${four}"`);
  });

  it('the version of an object decides whether an edit with If-Match is made', async () => {
    const { body } = await send('GET', url);
    const before = versionIn(body);
    const { body: after, status } = await send('PUT', url, second, `"${before}"`);
    expect(status).toBe(200);
    for (const match of [`"${before}"`, before, '"other"', '""', `"a", W/"${before}"`]) {
      const refused = await send('PUT', url, third, match);
      expect({ status: refused.status, body: refused.body }).toMatchObject(conflict({ version: versionIn(after) }));
      expect(refused.headers['etag']).toBe(`"${versionIn(after)}"`);
      expect(await send('DELETE', url, undefined, match)).toMatchObject({ status: 412 });
    }
    expect(versionIn((await send('GET', url)).body)).toBe(versionIn(after));
    for (const match of [`"a", W/"${versionIn(after)}"`, '*'])
      expect((await send('PUT', url, second, match)).status).toBe(200);
    expect((await send('PUT', url, third)).status).toBe(200);
  });

  it('the version of an object lets exactly one of several writers win who begin from the same version', async () => {
    const { headers } = await send('GET', url);
    const statuses = await Promise.all(
      [first, second, first, second].map(async (edit) => (await send('PUT', url, edit, headers['etag'])).status),
    );
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
  });
});

describe('the version of an admin', () => {
  it('changes with an edit and a new password, and not with traffic', async () => {
    await send('POST', '/api/admin', { username: 'other', password: SUDO.password, is_sudo: false });
    const version = async () => {
      const [admin] = Object((await send('GET', '/api/admins?username=other')).body);
      return admin.version;
    };
    const versions = [await version()];
    await management.database.query(`UPDATE admins SET used_traffic = 5 WHERE username = 'other'`);
    expect(await version()).toBe(versions[0]);
    for (const change of [{ profile_title: 'x' }, { password: 'another long password' }, { is_disabled: true }]) {
      expect((await send('PUT', '/api/admin/other', change, `"${versions.at(-1)}"`)).status).toBe(200);
      versions.push(await version());
    }
    expect(new Set(versions).size).toBe(4);
    const refused = await send('PUT', '/api/admin/other', { profile_title: 'y' }, `"${versions[0]}"`);
    expect(refused).toMatchObject(conflict({ username: 'other', version: versions.at(-1) }));
    expect((await send('DELETE', '/api/admin/other', undefined, `"${versions[0]}"`)).status).toBe(412);
    expect((await send('DELETE', '/api/admin/other', undefined, `"${versions.at(-1)}"`)).status).toBe(204);
  });
});

describe('the version of the settings', () => {
  it('is in the ETag only, and decides whether an edit with If-Match is made', async () => {
    const { headers, body } = await send('GET', '/api/settings');
    expect(Object.keys(Object(body))).toEqual(['subscription', 'general']);
    const [general, etag] = [Object(body).general, headers['etag']];
    const changed = { general: { ...general, default_flow: 'xtls-rprx-vision' } };
    const after = await send('PUT', '/api/settings', changed, etag);
    expect([after.status, after.headers['etag']]).not.toEqual([200, etag]);
    expect(after.status).toBe(200);
    expect(await send('PUT', '/api/settings', { general }, etag)).toMatchObject(conflict({ general: changed.general }));
    expect((await send('PUT', '/api/settings', { general }, after.headers['etag'])).status).toBe(200);
  });

  it('is the one that the next request needs, also where the database stores members in another order', async () => {
    const { body } = await send('GET', '/api/settings');
    const rule = { pattern: '^x', target: 'links', response_headers: { 'x-long': '1', 'x-a': '2' } };
    const subscription = { ...Object(body).subscription, rules: [rule] };
    const saved = await send('PUT', '/api/settings', { subscription });
    expect(saved.status).toBe(200);
    expect((await send('PUT', '/api/settings', { subscription }, saved.headers['etag'])).status).toBe(200);
  });
});

describe('the version of a user', () => {
  it('does not change with what the service counts, and changes with what bulk calls edit', async () => {
    await send('POST', '/api/group', { name: 'two', inbound_tags: [TAG] });
    const { body } = await send('POST', '/api/user', { username: 'counted', data_limit: 100 });
    const { id } = Object(body);
    const version = async () => versionIn((await send('GET', '/api/user/counted')).body);
    const versions = [await version()];
    await management.database.query(
      `UPDATE users SET used_traffic = 100, status = 'limited', online_at = now() WHERE id = ${id}`,
    );
    expect(await version()).toBe(versions[0]);
    const edits: [string, object][] = [
      ['/api/groups/bulk/add', { group_ids: [2], users: [id] }],
      ['/api/users/bulk/expire', { amount: 60, users: [id] }],
      ['/api/users/bulk/data_limit', { amount: 60, users: [id] }],
      ['/api/users/bulk/proxy_settings', { flow: 'xtls-rprx-vision', users: [id] }],
      ['/api/user/counted/revoke_sub', {}],
    ];
    for (const [path, edit] of edits) {
      const answer = await send('POST', path, edit);
      expect([path, answer.status]).toEqual([path, 200]);
      versions.push(await version());
    }
    expect((await send('POST', '/api/user/counted/reset', {}, `"${versions[0]}"`)).status).toBe(412);
    const listed = Object((await send('GET', '/api/users?username=counted&fields=id,version')).body).users;
    expect(listed).toEqual([{ id, version: versions.at(-1) }]);
    // A list without limits of time knows no more of the expire of a user without one.
    expect(new Set(versions).size).toBeGreaterThanOrEqual(5);
  });

  it('is not in the audit log, nor in what the user sees', async () => {
    await send('PUT', '/api/user/counted', { note: 'new' });
    const entries = Object((await send('GET', '/api/audit?limit=1')).body).entries;
    expect(Object.keys(entries[0].difference).toSorted()).toEqual(['edit_at', 'note']);
    const { subscription_url } = Object((await send('GET', '/api/user/counted')).body);
    const info = await management.request('GET', `${new URL(subscription_url).pathname}/info`, undefined, '');
    expect(Object.keys(Object(info.body))).not.toContain('version');
  });
});
