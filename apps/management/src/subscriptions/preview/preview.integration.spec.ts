import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostHealthRepository } from '../../hosts/host-health.repository.js';
import { TestManagement } from '../../testing/test-management.js';

const CORE = {
  name: 'core',
  config: {
    inbounds: ['ws', 'xhttp', 'other'].map((tag, at) => ({
      tag,
      port: 1000 + at,
      protocol: 'vless',
      settings: { clients: [], decryption: 'none' },
      streamSettings: { network: tag === 'other' ? 'tcp' : tag },
    })),
    outbounds: [{ tag: 'out', protocol: 'freedom' }],
  },
};
const HOSTS = [
  { remark: '{USERNAME} 1', inbound_tag: 'ws', address: ['a.example'] },
  { remark: 'two', inbound_tag: 'xhttp', address: ['a.example'] },
  { remark: 'off', inbound_tag: 'ws', address: ['a.example'], is_disabled: true },
  { remark: 'foreign', inbound_tag: 'other', address: ['a.example'] },
  { remark: 'late', inbound_tag: 'ws', address: ['a.example'], status: ['expired', 'limited'] },
  { remark: 'empty', inbound_tag: 'ws', address: [] },
];

const HEADERS = { 'user-agent': 'v2rayNG/1.10.5' };

let management: TestManagement;
let plain: string;
let link: string;
beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  await management.call('POST', '/api/core', CORE);
  await management.call('POST', '/api/group', { name: 'mine', inbound_tags: ['ws', 'xhttp'] });
  for (const [priority, host] of HOSTS.entries()) await management.call('POST', '/api/host', { ...host, priority });
  const { body } = await management.call('POST', '/api/user', { username: 'alice', group_ids: [1] }, plain);
  link = new URL(Object(body).subscription_url).pathname;
});
afterAll(() => management?.close());

const preview = async (client: string, token?: string) =>
  management.call('GET', `/api/user/alice/preview?client=${encodeURIComponent(client)}`, undefined, token);
const reasons = (body: unknown) =>
  Object(body).hosts.map(({ remark, name, reason }: { remark: string; name: string | null; reason: string | null }) => [
    remark,
    name ?? reason,
  ]);

describe('GET /api/user/{username}/preview', () => {
  it('answers the document and headers that the client gets, and records no fetch', async () => {
    const { status, body } = await preview('v2rayng');
    const fetched = await management.request('GET', link, undefined, '', HEADERS);
    expect(status).toBe(200);
    expect(body).toMatchObject({ client: 'v2rayNG/1.10.5', format: 'links_base64', document: fetched.text });
    for (const [name, value] of Object.entries(Object(body).headers))
      expect([name, fetched.headers[name]]).toEqual([name, value]);
    await preview('Happ/9');
    const updates = await management.call('GET', '/api/user/alice/sub_update');
    expect(JSON.stringify(updates.body)).not.toContain('Happ/9');
  });

  it('says of each host whether the client gets it, or why not', async () => {
    const { body } = await preview('v2rayng');
    expect(reasons(body)).toEqual([
      ['{USERNAME} 1', 'alice 1'],
      ['two', 'two'],
      ['off', 'disabled'],
      ['foreign', 'not_granted'],
      ['late', 'status'],
      ['empty', 'broken'],
    ]);
    expect(Object(body).hosts.map(({ message }: { message: string | null }) => message)).toEqual([
      null,
      null,
      'the host is disabled',
      'no enabled group of the user has the inbound other',
      'the host is for users who are expired, limited, and the user is active',
      'the host has no address',
    ]);
  });

  it('says that a host fails its probes, where the settings leave such hosts out', async () => {
    const { manager } = management.database;
    const health = management.app.get(HostHealthRepository);
    const [{ id: two }] = await manager.query(`SELECT id FROM hosts WHERE remark = 'two'`);
    const [{ id: one }] = await manager.query(`SELECT id FROM hosts WHERE remark = '{USERNAME} 1'`);
    // Seen by management itself, whose word is enough.
    const seen = { nodeId: null, clients: ['xray'], address: 'a', port: 1, serverName: '', problem: 'no_answer' };
    const texts = { error: '', advice: '', serverAddress: '' };
    const results = [{ ...seen, ...texts, handshakeMs: 0, firstByteMs: 0, bytesPerSecond: 0, httpStatus: 0 }];
    const record = (hostId: number, status: 'works' | 'fails') =>
      health.recordRound(manager, { hostId, checkedAt: new Date(), status, digest: 'd', message: 'm', results });
    await record(one, 'works');
    for (const _ of [1, 2]) await record(two, 'fails');
    await health.updateLeftOut(manager, { failures: 2, withinSeconds: 600 });
    await management.call('PUT', '/api/settings/probes', { every_minutes: 30, hide_failing: true });
    const { body } = await preview('v2rayng');
    expect(reasons(body).slice(0, 2)).toEqual([
      ['{USERNAME} 1', 'alice 1'],
      ['two', 'failing'],
    ]);
    expect(Object(body).document).toBe((await management.request('GET', link, undefined, '', HEADERS)).text);
    await management.call('PUT', '/api/settings/probes', {});
    expect(reasons((await preview('v2rayng')).body)[1]).toEqual(['two', 'two']);
  });

  it('knows what a format cannot carry', async () => {
    const { body } = await preview('sing-box');
    expect(Object(body).format).toBe('sing_box');
    expect(reasons(body)[1]).toEqual(['two', 'not_carried']);
    expect(reasons(body)[0]).toEqual(['{USERNAME} 1', 'alice 1']);
  });

  it('takes a User-Agent, and shows the page for a browser', async () => {
    expect((await preview('mihomo/1.19.9')).body).toMatchObject({ client: 'mihomo/1.19.9', format: 'clash_meta' });
    const { body } = await preview('browser');
    expect(body).toMatchObject({ format: 'page', headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(Object(body).document).toMatch(/^<!doctype html>/i);
  });

  it('shows that a client is blocked', async () => {
    const settings = Object((await management.call('GET', '/api/settings')).body);
    const rules = [{ pattern: 'Bad', target: 'block' }, ...settings.subscription.rules];
    await management.call('PUT', '/api/settings', { subscription: { ...settings.subscription, rules } });
    const { body } = await preview('Bad/1');
    expect(body).toMatchObject({ format: null, headers: {}, document: null });
    expect(reasons(body)[0]).toEqual(['{USERNAME} 1', 'refused']);
    await management.call('PUT', '/api/settings', { subscription: settings.subscription });
  });

  it('hides hosts of others from a plain admin, and users of others', async () => {
    expect(reasons((await preview('v2rayng', plain)).body).map(([remark]: [string]) => remark)).toEqual([
      '{USERNAME} 1',
      'two',
      'late',
      'empty',
    ]);
    const other = await management.plainAdmin('other');
    expect((await preview('v2rayng', other)).status).toBe(403);
    expect((await management.call('GET', '/api/user/nobody/preview')).status).toBe(404);
  });
});

describe('POST /api/user/{username}/preview', () => {
  const send = (host: object, token?: string) =>
    management.call('POST', '/api/user/alice/preview?client=v2rayng', host, token);

  it('adds a host that is not saved', async () => {
    const { body } = await send({ remark: 'draft', inbound_tag: 'ws', address: ['b.example'], priority: 0 });
    expect(Object(body).hosts[0]).toEqual({ id: null, remark: 'draft', name: 'draft', reason: null, message: null });
    expect(Buffer.from(Object(body).document, 'base64').toString()).toContain('@b.example:1000');
    expect((await management.call('GET', '/api/hosts')).body).toHaveLength(HOSTS.length);
  });

  it('puts a host in the place of the stored one with its id', async () => {
    const { body } = await send({ id: 1, remark: 'changed', inbound_tag: 'nope', address: ['b.example'], priority: 0 });
    expect(Object(body).hosts[0]).toMatchObject({ id: 1, remark: 'changed', name: null, reason: 'not_granted' });
    expect(Object(body).hosts).toHaveLength(HOSTS.length);
  });

  it('refuses what is no host, and plain admins', async () => {
    expect(await send({ remark: 'x' })).toMatchObject({ status: 422, body: { code: 'INVALID_FIELDS' } });
    expect((await send({}, plain)).status).toBe(403);
  });
});
