import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, realitySettings, vless } from './core-config.js';
import { environment } from './environment.js';
import { createHost, type Host, removeOtherHosts } from './fixtures.js';
import { FORMAT_VARIABLES } from './format-variables.js';
import { about, type Call, expectRefused, someText } from './refusal.js';

const UNKNOWN = 987_654;
const TAG = 'host inbound';
const REALITY_TAG = 'host reality';
const required = { remark: 'a host', inbound_tag: TAG, priority: 1 };

/** Two texts that have 256 characters when joined by a comma. */
const joined = (length: number) => ['a'.repeat(length / 2), 'b'.repeat(length / 2 - 1)];
const tooLong = (length: number) => ['a'.repeat(length / 2), 'b'.repeat(length / 2)];

const defaults = {
  ...required,
  address: [],
  port: null,
  sni: [],
  host: [],
  path: null,
  security: 'inbound_default',
  alpn: [],
  fingerprint: 'none',
  allowinsecure: null,
  is_disabled: false,
  http_headers: null,
  transport_settings: null,
  mux_settings: null,
  fragment_settings: null,
  noise_settings: null,
  random_user_agent: false,
  use_sni_as_host: false,
  status: null,
  ech_config_list: null,
  version: expect.any(String),
};

const everything = {
  remark: '{USERNAME} of {ADMIN_USERNAME}',
  inbound_tag: TAG,
  priority: -5,
  address: ['*.{USERNAME}.example', '192.0.2.1'],
  port: 8443,
  sni: ['*.sni.example'],
  host: ['*.host.example'],
  path: '/{PROTOCOL}/{TRANSPORT}/{USERNAME}',
  security: 'tls',
  alpn: ['h3', 'h2', 'http/1.1'],
  fingerprint: 'chrome',
  allowinsecure: true,
  is_disabled: true,
  http_headers: { 'X-One': 'one', 'X-Two': 'two' },
  random_user_agent: true,
  use_sni_as_host: true,
  status: ['active', 'expired', 'limited', 'disabled', 'on_hold'],
  ech_config_list: 'AEX+DQ==',
};

const texts = (value: unknown): unknown => (Array.isArray(value) ? expect.arrayContaining(value) : value);

describe('hosts', () => {
  let core: Core;
  let host: Host;
  const refused = (calls: readonly Call[], status: number, detail: unknown) =>
    expectRefused(calls, status, detail, ['/api/hosts']);
  const create = (rest: object) => environment.sudo.create<Host>('/api/host', { ...required, ...rest });

  beforeAll(async () => {
    core = await createCore(
      vless(TAG),
      vless(REALITY_TAG, { streamSettings: { network: 'tcp', security: 'reality', realitySettings } }),
    );
    host = await createHost(TAG);
  });
  afterEach(() => removeOtherHosts(host));
  afterAll(async () => {
    await environment.sudo.remove(`/api/host/${host.id}`);
    await deleteCore(core);
  });

  it.each(['/api/host/', '/api/host'])('POST %s creates a host with the defaults', async (path) => {
    const created = await environment.sudo.create<Host>(path, required);
    expect(created).toEqual({ ...defaults, id: created.id, warnings: expect.any(Array) });
    expect(await environment.sudo.get(`/api/host/${created.id}`)).toEqual({ ...defaults, id: created.id });
  });

  it('a host keeps every field, and is modified and deleted', async () => {
    const created = await create(everything);
    const path = `/api/host/${created.id}`;
    const shape = { ...defaults, ...everything, id: created.id };
    const unordered = Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, texts(value)]));
    expect(await environment.sudo.get(path)).toEqual(unordered);
    expect(await environment.sudo.modify(path, required)).toEqual({
      ...defaults,
      id: created.id,
      warnings: expect.any(Array),
    });
    expect(await environment.sudo.modify(path, everything)).toMatchObject(unordered);
    expect(await environment.sudo.get(path)).toEqual(unordered);
    await environment.sudo.remove(path);
    await refused([{ method: 'GET', path }], 404, 'Host not found');
  });

  it('hosts are listed by priority, in pages', async () => {
    const ids: number[] = [];
    for (const priority of [30, -1, 20]) ids.push((await create({ priority })).id);
    const list = async (query: string) =>
      (await environment.sudo.get<Host[]>(`/api/hosts${query}`)).map(({ id }) => id);
    const order = [ids[1], host.id, ids[2], ids[0]];
    expect(await list('')).toEqual(order);
    expect(await Promise.all(['?limit=2', '?offset=2', '?offset=1&limit=2', '?offset=4'].map(list))).toEqual([
      order.slice(0, 2),
      order.slice(2),
      order.slice(1, 3),
      [],
    ]);
  });

  it('PUT /api/hosts replaces and creates hosts, leaves others alone, and answers the whole list', async () => {
    const [first, second] = [
      await create({ priority: 2, port: 1, sni: ['old.example'] }),
      await create({ priority: 3 }),
    ];
    const before = await environment.sudo.get<Host[]>('/api/hosts');
    const answer = await environment.sudo.modify<Host[]>('/api/hosts', [
      { ...required, id: first.id, remark: 'replaced', priority: 4 },
      { ...required, remark: 'new', priority: 5 },
    ]);
    const after = [
      ...before.filter(({ id }) => id === host.id || id === second.id),
      { ...defaults, id: first.id, remark: 'replaced', priority: 4 },
      { ...defaults, id: expect.any(Number), remark: 'new', priority: 5 },
    ];
    expect(await environment.sudo.get('/api/hosts')).toEqual(after);
    expect(answer).toEqual(after.map((element) => ({ ...element, warnings: expect.any(Array) })));
    expect(await environment.sudo.modify('/api/hosts', [])).toEqual(answer);
  });

  it('PUT /api/hosts changes nothing when one host of the list is refused', async () => {
    const good = { ...required, id: host.id, remark: 'good' };
    const bulk = (bad: object): Call => ({ method: 'PUT', path: '/api/hosts', body: [good, { ...required, ...bad }] });
    await refused([bulk({ inbound_tag: 'nowhere' })], 400, someText);
    await refused([bulk({ remark: '{NOBODY}' }), bulk({ priority: 'high' })], 422, expect.anything());
    await refused([{ method: 'PUT', path: '/api/hosts', body: good }], 422, expect.anything());
  });

  it.each([
    ['an address of 256 characters', { address: joined(256) }],
    ['sni of 1,000 characters', { sni: joined(1000) }],
    ['host of 1,000 characters', { host: joined(1000) }],
    ['the highest port', { port: 65_535 }],
    ['no port', { port: null }],
    ['braces in a remark', { remark: '{{USERNAME}}' }],
    ...['inbound_default', 'none', 'tls'].map((security) => [`the security ${security}`, { security }] as const),
    ['reality where the inbound offers it', { inbound_tag: REALITY_TAG, security: 'reality' }],
    ...[
      'none',
      'chrome',
      'firefox',
      'safari',
      'ios',
      'android',
      'edge',
      '360',
      'qq',
      'random',
      'randomized',
      'randomizednoalpn',
      'unsafe',
    ].map((fingerprint) => [`the fingerprint ${fingerprint}`, { fingerprint }] as const),
    ...['h3', 'h2', 'http/1.1'].map((alpn) => [`the alpn ${alpn}`, { alpn: [alpn] }] as const),
    ...everything.status.map((status) => [`the status ${status}`, { status: [status] }] as const),
    ['allowinsecure false', { allowinsecure: false }],
    ...FORMAT_VARIABLES.map(
      (name) => [`{${name}}`, { remark: `a {${name}} b`, address: [`{${name}}.example`] }] as const,
    ),
  ])('a host with %s is accepted', async (_title, rest) => {
    const created = await create(rest);
    const read = await environment.sudo.get<Host>(`/api/host/${created.id}`);
    for (const [name, value] of Object.entries(rest)) {
      expect(read[name]).toEqual(texts(value));
      if (Array.isArray(value)) expect(read[name]).toHaveLength(value.length);
    }
  });

  it.each([
    ['alpn sorted and once each', { alpn: ['http/1.1', 'h3', 'h2', 'h3'] }, { alpn: ['h3', 'h2', 'http/1.1'] }],
    ['addresses once each', { address: ['a.example', 'a.example'] }, { address: ['a.example'] }],
    ['sni once each', { sni: ['a.example', 'a.example'] }, { sni: ['a.example'] }],
    ['host once each', { host: ['a.example', 'a.example'] }, { host: ['a.example'] }],
    ['statuses once each', { status: ['active', 'active'] }, { status: ['active'] }],
    ['an empty status as none', { status: [] }, { status: null }],
    ['an empty fingerprint as none', { fingerprint: '' }, { fingerprint: 'none' }],
  ])('the answer for a host has %s', async (_title, rest, read) => {
    expect(await create(rest)).toMatchObject(read);
  });

  it.each([
    ['no remark', { remark: undefined }, 'remark'],
    ['a remark that is no text', { remark: 5 }, 'remark'],
    ['an unknown variable', { remark: 'a {NOBODY}' }, 'remark'],
    ['a variable in small letters', { remark: '{username}' }, 'remark'],
    ['an opening brace', { remark: 'a { b' }, 'remark'],
    ['a closing brace', { remark: 'a } b' }, 'remark'],
    ['an empty variable', { remark: '{}' }, 'remark'],
    ['an unknown variable in an address', { address: ['{NOBODY}.example'] }, 'address'],
    ['a stray brace in an address', { address: ['good.example', 'bad{.example'] }, 'address'],
    ['a variable of the remark in a path', { path: '/{SERVER_IP}' }, 'path'],
    ['a stray brace in a path', { path: '/}' }, 'path'],
    ['no inbound_tag', { inbound_tag: undefined }, 'inbound_tag'],
    ['no priority', { priority: undefined }, 'priority'],
    ['a priority that is no integer', { priority: 1.5 }, 'priority'],
    ['an address of 257 characters', { address: tooLong(256) }, 'address'],
    ['sni of 1,001 characters', { sni: tooLong(1000) }, 'sni'],
    ['host of 1,001 characters', { host: tooLong(1000) }, 'host'],
    ['a port that is no integer', { port: 'https' }, 'port'],
    ['an unknown security', { security: 'xtls' }, 'security'],
    ['an unknown alpn', { alpn: ['h2', 'h4'] }, 'alpn'],
    ['an unknown fingerprint', { fingerprint: 'netscape' }, 'fingerprint'],
    ['an unknown status', { status: ['active', 'gone'] }, 'status'],
    ['allowinsecure that is no boolean', { allowinsecure: 'maybe' }, 'allowinsecure'],
    ['is_disabled that is no boolean', { is_disabled: 'maybe' }, 'is_disabled'],
    ['use_sni_as_host that is no boolean', { use_sni_as_host: 'maybe' }, 'use_sni_as_host'],
    ['random_user_agent that is no boolean', { random_user_agent: 'maybe' }, 'random_user_agent'],
    ['http_headers of lists', { http_headers: { 'X-One': ['one'] } }, 'http_headers'],
  ])('a host with %s is refused, when creating and when modifying', async (_title, rest, field) => {
    const body = { ...required, ...rest };
    const calls: Call[] = [
      { method: 'POST', path: '/api/host/', body },
      { method: 'PUT', path: `/api/host/${host.id}`, body },
    ];
    await refused(calls, 422, about(field));
  });

  it.each([
    ['an inbound_tag in no core', { inbound_tag: 'nowhere' }],
    ['reality where the inbound has none', { security: 'reality' }],
  ])('a host with %s is refused, when creating and when modifying', async (_title, rest) => {
    const body = { ...required, ...rest };
    const calls: Call[] = [
      { method: 'POST', path: '/api/host/', body },
      { method: 'PUT', path: `/api/host/${host.id}`, body },
    ];
    await refused(calls, 400, someText);
  });

  it('a call for an unknown host answers 404', async () => {
    const path = `/api/host/${UNKNOWN}`;
    const calls: Call[] = [
      { method: 'GET', path },
      { method: 'PUT', path, body: required },
      { method: 'DELETE', path },
    ];
    await refused(calls, 404, 'Host not found');
  });
});
