import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newProxySettings } from '@rampart/domain';
import { TestManagement } from '../../testing/test-management.js';
import { Grants } from './grants.js';
import { newestUserRevision } from './newest-revision.js';
import { endProbeUser, extendProbeUser, isProbeUserOver, PROBE_USER, serveProbeUser } from './probe-user.js';
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

const serve = (tags = ['a', 'b'], seconds = 60) =>
  management.database.transaction((manager) =>
    serveProbeUser(manager, tags, seconds, () => newProxySettings(randomBytes)),
  );
const servedOn = async (tags: string[], afterId = 0) => {
  const { manager } = management.database;
  return servedUsers(manager, await Grants.read(manager, (tag) => tags.includes(tag)), afterId, 10);
};
const pass = () => management.database.query(`UPDATE probe_user SET expires_at = now() - interval '1 second'`);

describe('the user of probes', () => {
  it('the user of probes reaches nodes by a revision, with its credentials and tags', async () => {
    const { manager } = management.database;
    const before = await newestUserRevision(manager);
    const { revision, proxySettings } = await serve();
    const expected = { id: PROBE_USER.id, email: '2147483647.probe', proxySettings, inboundTags: ['a', 'b'], revision };
    expect(revision).toBeGreaterThan(before);
    expect(await newestUserRevision(manager)).toBe(revision);
    expect(await changedUsersAfter(manager, after(before), 10)).toEqual([expected]);
    expect(await changedUsersAfter(manager, after(revision), 10)).toEqual([]);
    expect(await servedOn(['a', 'b', 'c'])).toEqual([expected]);
    expect(await servedOn(['b', 'c'])).toEqual([{ ...expected, inboundTags: ['b'] }]);
    expect(await servedOn(['c'])).toEqual([]);
    expect(await servedOn(['a', 'b'], PROBE_USER.id)).toEqual([]);
  });

  it('the user of probes keeps its credentials while it is served, and has new ones each time after', async () => {
    const first = await serve();
    expect(await serve()).toEqual(first);
    const other = await serve(['a', 'c']);
    expect(other.revision).toBeGreaterThan(first.revision);
    // Rounds that have begun use them.
    expect(other.proxySettings).toEqual(first.proxySettings);
    expect(await servedOn(['a', 'b', 'c'])).toMatchObject([{ inboundTags: ['a', 'c'] }]);
    await pass();
    const later = await serve(['a', 'c']);
    expect(later.proxySettings).not.toEqual(other.proxySettings);
    expect(later.revision).toBeGreaterThan(other.revision);
  });

  it('the user of probes is served for longer as long as its time is not over', async () => {
    const { manager } = management.database;
    const remaining = async (): Promise<number> =>
      (await manager.query(`SELECT extract(epoch FROM expires_at - now())::float AS seconds FROM probe_user`))[0]
        .seconds;
    await serve(['a'], 10);
    await extendProbeUser(manager, 100);
    expect(await remaining()).toBeGreaterThan(90);
    await extendProbeUser(manager, 10);
    expect(await remaining()).toBeGreaterThan(90);
    await pass();
    await extendProbeUser(manager, 100);
    expect(await isProbeUserOver(manager)).toBe(true);
  });

  it('the user of probes is removed from nodes when its time is over, and its credentials are forgotten', async () => {
    const { manager } = management.database;
    const { revision } = await serve();
    await management.database.transaction(endProbeUser);
    expect(await changedUsersAfter(manager, after(revision), 10)).toEqual([]);
    await pass();
    expect(await isProbeUserOver(manager)).toBe(true);
    await management.database.transaction(endProbeUser);
    expect(await changedUsersAfter(manager, after(revision), 10)).toMatchObject([
      { email: '2147483647.probe', inboundTags: [], proxySettings: { vless: { id: '' }, trojan: { password: '' } } },
    ]);
    expect(await servedOn(['a', 'b'])).toEqual([]);
    expect(await isProbeUserOver(manager)).toBe(false);
    expect(await management.database.query('SELECT proxy_settings FROM probe_user')).toEqual([
      { proxy_settings: null },
    ]);
  });

  it('the user of probes is in no list and no count, and nobody can name it', async () => {
    await serve();
    expect((await management.call('GET', '/api/users')).body).toMatchObject({ users: [], total: 0 });
    expect((await management.call('GET', '/api/user/probe')).status).toBe(404);
    expect((await management.call('GET', '/api/system')).body).toMatchObject({ total_user: 0 });
    expect((await management.call('POST', '/api/user', { username: 'probe' })).status).toBe(201);
    await management.database.query('DELETE FROM users');
  });
});
