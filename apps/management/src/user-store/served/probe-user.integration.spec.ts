import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newProxySettings } from '@rampart/domain';
import { TestManagement } from '../../testing/test-management.js';
import { Grants } from './grants.js';
import { newestUserRevision } from './newest-revision.js';
import {
  endProbeUsers,
  extendProbeUser,
  isProbeUserOver,
  MAX_PROBE_USERS,
  PROBE_USER,
  serveProbeUser,
} from './probe-user.js';
import { after, changedUsersAfter, servedUsers } from './served-users.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());
beforeEach(async () => {
  await management.database.query(
    `UPDATE probe_user SET revision = 0, inbound_tags = '{}', proxy_settings = NULL, expires_at = NULL`,
  );
});

const serve = async (tags = ['a', 'b'], seconds = 60) => {
  const served = await management.database.transaction((manager) =>
    serveProbeUser(manager, tags, seconds, newProxySettings(randomBytes)),
  );
  if (!served) throw new Error('there is no place for a user');
  return served;
};
const end = (revision?: bigint) => management.database.transaction((manager) => endProbeUsers(manager, revision));
const servedOn = async (tags: string[], afterId = 0) => {
  const { manager } = management.database;
  return servedUsers(manager, await Grants.read(manager, (tag) => tags.includes(tag)), afterId, 10);
};
const pass = () =>
  management.database.query(
    `UPDATE probe_user SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL`,
  );

describe('the user of probes', () => {
  it('reaches nodes by a revision, with its credentials and tags', async () => {
    const { manager } = management.database;
    const before = await newestUserRevision(manager);
    const { revision, proxySettings } = await serve();
    const expected = {
      id: PROBE_USER.lastId,
      email: '2147483647.probe',
      proxySettings,
      inboundTags: ['a', 'b'],
      revision,
    };
    expect(revision).toBeGreaterThan(before);
    expect(await newestUserRevision(manager)).toBe(revision);
    expect(await changedUsersAfter(manager, after(before), 10)).toEqual([expected]);
    expect(await changedUsersAfter(manager, after(revision), 10)).toEqual([]);
    expect(await servedOn(['a', 'b', 'c'])).toEqual([expected]);
    expect(await servedOn(['b', 'c'])).toEqual([{ ...expected, inboundTags: ['b'] }]);
    expect(await servedOn(['c'])).toEqual([]);
    expect(await servedOn(['a', 'b'], PROBE_USER.lastId)).toEqual([]);
  });

  it('security row 70: each round of probes has a user and credentials of its own, and ends no other', async () => {
    const { manager } = management.database;
    const [one, other] = [await serve(['a', 'b']), await serve(['b', 'c'])];
    expect(other.proxySettings).not.toEqual(one.proxySettings);
    expect(await servedOn(['a', 'b', 'c'])).toMatchObject([
      { email: '2147483646.probe', inboundTags: ['b', 'c'], proxySettings: other.proxySettings },
      { email: '2147483647.probe', inboundTags: ['a', 'b'], proxySettings: one.proxySettings },
    ]);
    await end(one.revision);
    expect(await servedOn(['a', 'b', 'c'])).toMatchObject([{ email: '2147483646.probe' }]);
    expect(await changedUsersAfter(manager, after(other.revision), 10)).toMatchObject([
      { email: '2147483647.probe', inboundTags: [], proxySettings: { vless: { id: '' }, trojan: { password: '' } } },
    ]);
    const next = await serve(['a', 'b']);
    expect(next.proxySettings).not.toEqual(one.proxySettings);
    // Whose user has ended already touches the next one no more.
    await end(one.revision);
    await extendProbeUser(manager, one.revision, 1_000);
    expect(await servedOn(['a'])).toMatchObject([{ proxySettings: next.proxySettings }]);
    const [{ seconds }] = await manager.query(
      'SELECT max(extract(epoch FROM expires_at - now()))::float AS seconds FROM probe_user',
    );
    expect(seconds).toBeLessThanOrEqual(60);
  });

  it('the users of probes have a limited number of places', async () => {
    for (let place = 0; place < MAX_PROBE_USERS; place += 1) await serve();
    await expect(serve()).rejects.toThrow('there is no place for a user');
    expect(await servedOn(['a'])).toHaveLength(10);
    await pass();
    await end();
    expect((await servedOn(['a'])).length).toBe(0);
    await serve();
  });

  it('a user of probes is served for longer as long as its time is not over', async () => {
    const { manager } = management.database;
    const remaining = async (): Promise<number> =>
      (await manager.query(`SELECT max(extract(epoch FROM expires_at - now()))::float AS seconds FROM probe_user`))[0]
        .seconds;
    const { revision } = await serve(['a'], 10);
    await extendProbeUser(manager, revision, 100);
    expect(await remaining()).toBeGreaterThan(90);
    await extendProbeUser(manager, revision, 10);
    expect(await remaining()).toBeGreaterThan(90);
    await pass();
    await extendProbeUser(manager, revision, 100);
    expect(await isProbeUserOver(manager)).toBe(true);
  });

  it('security row 70: a user of probes is removed from nodes when its time is over, and its credentials are forgotten', async () => {
    const { manager } = management.database;
    const { revision } = await serve();
    await end();
    expect(await changedUsersAfter(manager, after(revision), 10)).toEqual([]);
    await pass();
    expect(await isProbeUserOver(manager)).toBe(true);
    await end();
    expect(await changedUsersAfter(manager, after(revision), 10)).toMatchObject([
      { email: '2147483647.probe', inboundTags: [], proxySettings: { vless: { id: '' }, trojan: { password: '' } } },
    ]);
    expect(await servedOn(['a', 'b'])).toEqual([]);
    expect(await isProbeUserOver(manager)).toBe(false);
    expect(
      await management.database.query('SELECT count(*)::integer AS n FROM probe_user WHERE proxy_settings IS NOT NULL'),
    ).toEqual([{ n: 0 }]);
  });

  it('is in no list and no count, and nobody can name it', async () => {
    await serve();
    expect((await management.call('GET', '/api/users')).body).toMatchObject({ users: [], total: 0 });
    expect((await management.call('GET', '/api/user/probe')).status).toBe(404);
    expect((await management.call('GET', '/api/system')).body).toMatchObject({ total_user: 0 });
    expect((await management.call('POST', '/api/user', { username: 'probe' })).status).toBe(201);
    await management.database.query('DELETE FROM users');
  });
});
