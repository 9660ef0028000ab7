import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newProxySettings, type ProxySettings } from '@rampart/domain';
import { preparedQuery } from '../../database/prepared.js';
import { currentRevision } from '../../database/revision.js';
import { CoreView } from '../../nodes/sync/core-view.js';
import { TestManagement } from '../../testing/test-management.js';
import { Grants } from '../../user-store/served/grants.js';
import { after, changedUsersAfter, servedUsers } from '../../user-store/served/served-users.js';
import { findSubscribers } from '../../user-store/subscriber.js';
import { UserLifeCycle } from './user-life-cycle.js';

/** Protocols, which are the tags of a core with one inbound of each. */
const ALL = ['vmess', 'vless', 'trojan', 'shadowsocks'] as const;

let management: TestManagement;
let plain: string;
beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  await management.call('POST', '/api/group', { name: 'group', inbound_tags: ['Shadowsocks TCP'] });
  await management.database.query('UPDATE groups SET inbound_tags = $1', [ALL]);
});
afterAll(() => management?.close());
beforeEach(() => management.database.query('DELETE FROM users'));

const manager = () => management.database.manager;
const settle = () => management.app.get(UserLifeCycle).run();

/** Stores a user as another program would, such as the restore of a backup of an earlier version. */
async function store(username: string, created: string, settings: Partial<ProxySettings> = {}): Promise<number> {
  const [{ id }] = await management.database.query(
    `INSERT INTO users (username, created_at, admin_id)
     SELECT $1, $2, id FROM admins WHERE username = 'plain' RETURNING id`,
    [username, created],
  );
  await management.database.query('INSERT INTO user_proxy_settings (user_id, proxy_settings) VALUES ($1, $2)', [
    id,
    JSON.stringify({ ...newProxySettings(randomBytes), ...settings }),
  ]);
  await management.database.query('INSERT INTO user_groups (user_id, group_id) VALUES ($1, 1)', [id]);
  await management.database.query('INSERT INTO user_revisions (user_id, revision) VALUES ($1, 0)', [id]);
  return id;
}

/** The protocols that a node that starts is given, by user. */
async function given(): Promise<Record<string, string[]>> {
  const view = new CoreView(new Map(ALL.map((protocol) => [protocol, protocol])));
  const grants = await Grants.read(manager(), () => true);
  const users = (await servedUsers(manager(), grants, 0, 100)).map((user) => view.nodeUser(user));
  return Object.fromEntries(
    users.map(({ email, proxies }) => [
      email.split('.')[1],
      Object.entries(proxies ?? {}).flatMap(([protocol, proxy]) => (proxy ? [protocol] : [])),
    ]),
  );
}

const changedSince = async (revision: bigint) =>
  (await changedUsersAfter(manager(), after(revision), 100)).map(({ email }) => email.split('.')[1]).toSorted();

const clashes = async (token?: string) =>
  Object((await management.call('GET', '/api/system', undefined, token)).body).credential_clashes;

const VLESS = { id: 'a3a6e5a0-5b8c-4e0e-8e43-6a1d2a1f7b10', flow: '' } as const;
/** The same UUID for an engine. */
const TWIN = { id: 'A3A6E5A0-5B8C-7777-8E43-6A1D2A1F7B10', flow: '' } as const;

describe('stored credentials that clash', () => {
  it('security row 53: of stored credentials that clash nodes get that of the older holder, in every set and change', async () => {
    // The ids are in the other order.
    const younger = await store('younger', '2026-02-01', { vless: TWIN, trojan: { password: 'same' } });
    await store('older', '2026-01-01', { vless: VLESS });
    await store('other', '2026-01-02', { trojan: { password: 'same' } });
    await store('alone', '2026-01-03');
    const before = await currentRevision(manager());
    await settle();
    expect(await given()).toEqual({ younger: ['vmess', 'shadowsocks'], older: ALL, other: ALL, alone: ALL });
    // A node that has got the younger one first hears of both again.
    expect(await changedSince(before)).toEqual(['older', 'other', 'younger']);
    const unchanged = await currentRevision(manager());
    await settle();
    expect(await currentRevision(manager())).toBe(unchanged);
    expect(await clashes()).toEqual([
      { credential: 'proxy_settings.vless.id', holder: 'older', refused: 'younger' },
      { credential: 'proxy_settings.trojan.password', holder: 'other', refused: 'younger' },
    ]);
    const doctor = await management.call('GET', '/api/doctor');
    expect(Object(doctor.body).checks).toContainEqual({
      name: 'credentials',
      state: 'warning',
      seen: 'younger has the proxy_settings.vless.id of older, and 1 more: nodes serve the older one',
      advice: 'Revoke the subscription of younger: it gets new credentials. GET /api/system names all.',
    });
    const shown = await management.call('GET', '/api/user/younger');
    expect(Object(shown.body).proxy_settings.vless).toEqual(TWIN);
    const [subscriber] = await findSubscribers(preparedQuery(management.database), [
      { userId: younger, generation: 0 },
    ]);
    expect(subscriber?.proxySettings).toMatchObject({ vless: { id: '' }, trojan: { password: '' } });
    expect(subscriber?.proxySettings.vmess.id).toHaveLength(36);
  });

  it('security row 53: are shown to no plain admin', async () => {
    await store('older', '2026-01-01', { vless: VLESS });
    await store('younger', '2026-02-01', { vless: VLESS });
    await settle();
    expect(await clashes()).toHaveLength(1);
    expect(await clashes(plain)).toEqual([]);
  });

  it('a credential that clashes is served again as soon as the older holder gives it up', async () => {
    await store('older', '2026-01-01', { vless: VLESS });
    await store('younger', '2026-02-01', { vless: VLESS });
    await settle();
    const before = await currentRevision(manager());
    await management.call('POST', '/api/user/older/revoke_sub');
    await settle();
    expect(await given()).toEqual({ older: ALL, younger: ALL });
    expect(await changedSince(before)).toEqual(['older', 'younger']);
    expect(await clashes()).toEqual([]);
  });

  it('a user with a credential that clashes can be changed, and is whole again with new credentials', async () => {
    await store('older', '2026-01-01', { vless: VLESS });
    await store('younger', '2026-02-01', { vless: VLESS });
    await settle();
    const put = (body: object) => management.call('PUT', '/api/user/younger', body);
    expect((await put({ note: 'x', proxy_settings: { vless: { flow: 'xtls-rprx-vision' } } })).status).toBe(200);
    expect((await given())['younger']).toEqual(['vmess', 'trojan', 'shadowsocks']);
    expect((await put({ proxy_settings: { trojan: { password: 'new one' } } })).status).toBe(200);
    expect(await clashes()).toHaveLength(1);
    expect((await management.call('POST', '/api/user/younger/revoke_sub')).status).toBe(200);
    expect((await given())['younger']).toEqual(ALL);
    expect(await clashes()).toEqual([]);
  });

  it('a credential that another program has stored is held like any other', async () => {
    await store('stored', '2026-01-01', { vless: VLESS });
    await settle();
    const body = { username: 'new', proxy_settings: { vless: { id: VLESS.id } } };
    expect(await management.call('POST', '/api/user', body)).toMatchObject({
      status: 409,
      body: { code: 'CREDENTIAL_EXISTS' },
    });
    expect(Object((await management.call('GET', `/api/users?proxy_id=${VLESS.id}`)).body).total).toBe(1);
  });
});
