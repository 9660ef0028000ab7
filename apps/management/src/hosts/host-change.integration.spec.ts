import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfigVersion } from '../database/config-version.js';
import { TestManagement } from '../testing/test-management.js';
import { Host } from './host.entity.js';

const TAG = 'Shadowsocks TCP';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const host = (more: object = {}) => ({ remark: 'r', inbound_tag: TAG, priority: 1, address: ['a.example'], ...more });
const idOf = (body: unknown) => Number(Reflect.get(Object(body), 'id'));
const create = async (more: object = {}) => idOf((await management.call('POST', '/api/host', host(more))).body);
const get = async (id: number) => (await management.call('GET', `/api/host/${id}`)).body;
const list = async (): Promise<unknown> => (await management.call('GET', '/api/hosts')).body;
const put = (id: number, more: object = {}) => management.call('PUT', `/api/host/${id}`, host(more));
const putAll = (hosts: unknown) => management.call('PUT', '/api/hosts', hosts);
const version = () => readConfigVersion(management.database.manager);
const download = (id: number) => ({ transport_settings: { xhttp_settings: { download_settings: id } } });

const invalid = (detail: object) => ({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
const NOT_FOUND = { status: 404, body: { detail: 'Host not found', code: 'HOST_NOT_FOUND' } };
const NO_TAG = {
  status: 400,
  body: { detail: 'Inbound tag not found in core configurations', code: 'INBOUND_TAG_UNKNOWN' },
};
const NO_REALITY = {
  status: 400,
  body: { detail: 'security reality needs an inbound with reality', code: 'HOST_SECURITY_REALITY' },
};
const NO_DOWNLOAD = { status: 404, body: { detail: 'download host not found', code: 'DOWNLOAD_HOST_NOT_FOUND' } };
const SELF = {
  status: 400,
  body: { detail: 'download host cannot be the same as the host', code: 'DOWNLOAD_HOST_SELF' },
};
const NESTED = {
  status: 400,
  body: { detail: 'download host cannot have a download host', code: 'DOWNLOAD_HOST_NESTED' },
};

const at = (index: number, { status, body }: typeof NO_TAG) => ({
  status,
  body: { ...body, detail: `${body.detail} (element ${index})` },
});

beforeEach(() => management.database.manager.deleteAll(Host));

describe('PUT /api/host/{host_id}', () => {
  it('replaces the whole host, with defaults for absent fields', async () => {
    const id = await create({
      port: 8443,
      sni: ['s.example'],
      path: '/p',
      is_disabled: true,
      status: ['active'],
      mux_settings: { xray: { enabled: true } },
      http_headers: { 'X-A': 'a' },
      allowinsecure: true,
    });
    const before = await version();
    const { status, body } = await put(id, { remark: 'new', address: ['b.example'], alpn: ['h2'], fingerprint: 'ios' });
    const expected = {
      version: expect.any(String),
      id,
      remark: 'new',
      address: ['b.example'],
      inbound_tag: TAG,
      port: null,
      sni: [],
      host: [],
      path: null,
      security: 'inbound_default',
      alpn: ['h2'],
      fingerprint: 'ios',
      allowinsecure: null,
      is_disabled: false,
      http_headers: null,
      transport_settings: null,
      mux_settings: null,
      fragment_settings: null,
      noise_settings: null,
      random_user_agent: false,
      use_sni_as_host: false,
      priority: 1,
      status: null,
      ech_config_list: null,
    };
    const warnings = [{ path: 'alpn', code: 'no_effect', message: 'only tls has an alpn, and this host has none' }];
    expect({ status, body }).toEqual({ status: 200, body: { ...expected, warnings } });
    expect(await get(id)).toEqual(expected);
    expect(await version()).toBe(before + 1n);
  });

  it.each<[object, object]>([
    [{ remark: '{NOPE}' }, invalid({ remark: expect.stringMatching(/^Unknown variable \{NOPE\}/) })],
    [{ remark: undefined }, invalid({ remark: 'Field required' })],
    [{ address: ['{'] }, invalid({ address: 'Stray { at 0: write {{ for a brace' })],
    [{ port: 65_536 }, invalid({ port: 'Input should be an integer from 0 to 65535' })],
    [{ inbound_tag: 'nowhere' }, NO_TAG],
    [{ security: 'reality' }, NO_REALITY],
    [download(4711), NO_DOWNLOAD],
  ])('refuses %j and changes nothing', async (more, answer) => {
    const id = await create();
    const before = [await get(id), await version()];
    expect(await put(id, more)).toEqual(answer);
    expect([await get(id), await version()]).toEqual(before);
  });

  it('answers 404 for an unknown host', async () => {
    expect(await put(4711)).toEqual(NOT_FOUND);
  });
});

describe('a download host', () => {
  it('must be another host without a download host', async () => {
    const [plain, other] = [await create(), await create()];
    const split = await create(download(plain));
    expect(await put(split, download(split))).toEqual(SELF);
    expect(await put(other, download(split))).toEqual(NESTED);
    expect(await put(other, download(plain))).toMatchObject({ status: 200, body: download(plain) });
    expect(await get(split)).toMatchObject(download(plain));
  });

  it('cannot be set by two hosts that name each other at the same moment', async () => {
    const [a, b] = [await create(), await create()];
    const answers = await Promise.all([put(a, download(b)), put(b, download(a))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(answers).toContainEqual(NESTED);
  });

  it('cannot get a download host while another host uses it', async () => {
    const [plain, other] = [await create(), await create()];
    const split = await create(download(plain));
    expect(await put(plain, download(other))).toEqual(NESTED);
    expect(await get(plain)).toMatchObject({ transport_settings: null });
    await put(split);
    expect(await put(plain, download(other))).toMatchObject({ status: 200 });
  });

  it('of another transport causes a warning whenever a host is saved', async () => {
    const inbound = { tag: 'x', protocol: 'vless', port: 9443, settings: { decryption: 'none' } };
    const config = {
      inbounds: [{ ...inbound, streamSettings: { network: 'xhttp' } }],
      outbounds: [{ tag: 'out', protocol: 'freedom' }],
    };
    expect((await management.call('POST', '/api/core', { name: 'x', config })).status).toBe(201);
    const warnings = [
      {
        path: '',
        code: 'left_out_for_client',
        message: 'left out for sing-box clients: they do not carry vless over xhttp without tls',
      },
      {
        path: 'transport_settings.xhttp_settings.download_settings',
        code: 'no_effect',
        message: 'the other host is disabled, left out of subscriptions or not xhttp',
      },
    ];
    const [tcp, xhttp] = [await create(), await create({ inbound_tag: 'x' })];
    const made = await management.call('POST', '/api/host', host({ inbound_tag: 'x', ...download(tcp) }));
    expect(made).toMatchObject({ status: 201, body: { warnings } });
    const id = idOf(made.body);
    expect(await put(id, { inbound_tag: 'x', ...download(tcp) })).toMatchObject({ status: 200, body: { warnings } });
    const all = await putAll([{ id, ...host({ inbound_tag: 'x', ...download(tcp) }) }]);
    expect([all.body].flat().find((shown) => idOf(shown) === id)).toMatchObject({ warnings });
    const works = await put(id, { inbound_tag: 'x', ...download(xhttp) });
    expect(Reflect.get(Object(works.body), 'warnings')).toEqual(warnings.slice(0, 1));
  });

  it('is removed from the settings of other hosts when it is deleted, and nothing else changes', async () => {
    const [plain, other] = [await create(), await create()];
    const xhttp = { mode: 'auto', download_settings: plain };
    const settings = { xhttp_settings: xhttp, websocket_settings: { heartbeatPeriod: 5 } };
    const split = await create({ transport_settings: settings });
    const elsewhere = await create(download(other));
    expect(await management.request('DELETE', `/api/host/${plain}`)).toMatchObject({ status: 204, text: '' });
    expect(await get(split)).toMatchObject({
      transport_settings: { xhttp_settings: { mode: 'auto' }, websocket_settings: { heartbeatPeriod: 5 } },
    });
    expect(JSON.stringify(await get(split))).not.toContain('download_settings');
    expect(await get(elsewhere)).toMatchObject(download(other));
  });
});

describe('DELETE /api/host/{host_id}', () => {
  it('deletes the host', async () => {
    const [gone, kept] = [await create(), await create()];
    const before = await version();
    expect(await management.request('DELETE', `/api/host/${gone}`)).toMatchObject({ status: 204, text: '' });
    expect(await management.call('GET', `/api/host/${gone}`)).toEqual(NOT_FOUND);
    expect(await get(kept)).toMatchObject({ id: kept });
    expect(await version()).toBe(before + 1n);
  });

  it('answers 404 for an unknown host', async () => {
    expect(await management.call('DELETE', '/api/host/4711')).toEqual(NOT_FOUND);
  });
});

describe('PUT /api/hosts', () => {
  it('replaces known hosts, adds others, keeps the rest and returns all by priority', async () => {
    const [known, rest] = [await create({ port: 1, priority: 3 }), await create({ remark: 'rest', priority: 2 })];
    const { status, body } = await putAll([
      host({ id: known, remark: 'replaced' }),
      host({ id: 4711, remark: 'unknown id', priority: 5, address: [] }),
      host({ id: null, remark: 'no id', priority: 4, sni: ['s', 's'] }),
    ]);
    const warnings = [{ path: '', code: 'left_out', message: 'left out of subscriptions: the host has no address' }];
    expect({ status, body }).toMatchObject({
      status: 200,
      body: [
        { id: known, remark: 'replaced', port: null, priority: 1, warnings: [] },
        { id: rest, remark: 'rest', warnings: [] },
        { remark: 'no id', sni: ['s'], warnings: [] },
        { remark: 'unknown id', address: [], warnings },
      ],
    });
    const withoutWarnings = [body].flat().map((shown) => ({ ...Object(shown), warnings: undefined }));
    expect(await list()).toEqual(withoutWarnings);
    expect(withoutWarnings.map(idOf)).not.toContain(4711);
  });

  it('accepts an empty list', async () => {
    const id = await create();
    expect(await putAll([])).toMatchObject({ status: 200, body: [{ id }] });
  });

  it('checks download hosts after all changes', async () => {
    const [a, b, c] = [await create(), await create(), await create()];
    await put(a, download(b));
    const turned = [host({ id: b, ...download(a) }), host({ id: a })];
    expect(await putAll(turned)).toMatchObject({ status: 200 });
    expect(await get(b)).toMatchObject(download(a));
    expect(await get(a)).toMatchObject({ transport_settings: null });
    const before = await list();
    expect(await putAll([host({ id: c, ...download(b) })])).toEqual(NESTED);
    expect(await putAll([host({ id: a, ...download(c) })])).toEqual(NESTED);
    expect(await putAll([host({ id: c, ...download(c) })])).toEqual(SELF);
    expect(await putAll([host({ id: c, remark: 'x' }), host(download(4711))])).toEqual(NO_DOWNLOAD);
    expect(await list()).toEqual(before);
  });

  it.each<[string, unknown, object]>([
    ['an object', {}, invalid({ body: 'Input should be a list of at most 5000 objects' })],
    ['nothing', undefined, invalid({ body: 'Input should be a list of at most 5000 objects' })],
    ['more than 5000', Array(5001).fill({}), invalid({ body: 'Input should be a list of at most 5000 objects' })],
    [
      'elements that are no objects',
      ['x', null, []],
      invalid(Object.fromEntries([0, 1, 2].map((at) => [at, 'Input should be an object']))),
    ],
    [
      'every element with its problems',
      [host(), host({ remark: '' }), host({ port: -1, mux_settings: { xray: { enabled: 'no' } } })],
      invalid({
        '1.remark': 'Remark cannot be empty',
        '2.port': 'Input should be an integer from 0 to 65535',
        '2.mux_settings.xray.enabled': 'Input should be true or false',
      }),
    ],
    [
      'dangerous names',
      [JSON.parse('{"http_headers":{"__proto__":{"polluted":1}}}')],
      invalid({ '0.http_headers.__proto__': 'is not allowed as a name' }),
    ],
    ['an id that stands twice', [host({ id: 5 }), host({ id: 5 })], invalid({ '1.id': '5 stands twice' })],
    ['a negative id', [host({ id: -1 })], invalid({ '0.id': 'Input should be an integer from 0 to 2147483647' })],
    ['an unknown tag', [host({ inbound_tag: 'nowhere' })], NO_TAG],
    ['an unknown tag among others', [host(), host({ inbound_tag: 'nowhere' })], at(1, NO_TAG)],
    ['reality over an inbound without', [host(), host({ security: 'reality' })], at(1, NO_REALITY)],
  ])('refuses %s as a whole', async (_, body, answer) => {
    const id = await create();
    const before = [await list(), await version()];
    expect(await putAll(body)).toEqual(answer);
    expect([await list(), await version()]).toEqual(before);
    expect(await get(id)).toMatchObject({ id });
  });

  it('writes more than a thousand hosts in one transaction', async () => {
    const hosts = Array.from({ length: 2500 }, (_, n) => host({ remark: `host ${n}`, priority: n }));
    const { status, body } = await putAll(hosts);
    expect(status).toBe(200);
    expect([body].flat().map((shown) => Reflect.get(Object(shown), 'remark'))).toEqual(
      hosts.map(({ remark }) => remark),
    );
  });
});
