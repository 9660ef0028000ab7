import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_INT32 } from '@rampart/domain';
import { TestManagement } from '../testing/test-management.js';
import { Host } from './host.entity.js';

const TAG = 'Shadowsocks TCP';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const host = (more: object = {}) => ({ remark: 'r', inbound_tag: TAG, priority: 1, address: ['a.example'], ...more });
const create = (more: object = {}, url = '/api/host') => management.call('POST', url, host(more));
const count = () => management.database.manager.count(Host);
const idOf = ({ body }: { body: unknown }) => Number(Reflect.get(Object(body), 'id'));

describe('POST /api/host', () => {
  it('stores defaults, also on the path with a trailing slash', async () => {
    const { status, body } = await create({ address: undefined, id: 99, owner: 'me' }, '/api/host/');
    const expected = {
      version: expect.any(String),
      id: 1,
      remark: 'r',
      address: [],
      inbound_tag: TAG,
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
      priority: 1,
      status: null,
      ech_config_list: null,
    };
    const warnings = [{ path: '', code: 'left_out', message: 'left out of subscriptions: the host has no address' }];
    expect({ status, body }).toEqual({ status: 201, body: { ...expected, warnings } });
    expect(await management.call('GET', '/api/host/1')).toEqual({ status: 200, body: expected });
  });

  it('stores all given fields', async () => {
    const given = {
      remark: '{USERNAME} {{x}}',
      address: ['a.example', '*.b.example'],
      port: 8443,
      sni: ['s.example'],
      host: ['h.example'],
      path: '/{USERNAME}',
      security: 'tls',
      alpn: ['h3', 'h2', 'http/1.1'],
      fingerprint: 'chrome',
      allowinsecure: true,
      is_disabled: true,
      http_headers: { 'X-Test': 'yes' },
      transport_settings: {
        websocket_settings: { heartbeatPeriod: 10 },
        grpc_settings: { multi_mode: true, idle_timeout: 60 },
        kcp_settings: { header: 'none', mtu: 1350, congestion: true },
        tcp_settings: { header: 'http', request: { method: 'GET', version: '1.1', headers: { Host: ['x'] } } },
        xhttp_settings: { mode: 'auto', x_padding_bytes: '100-1000', sc_max_each_post_bytes: 1000000 },
      },
      mux_settings: {
        xray: { enabled: true, concurrency: 8, xudpConcurrency: 16, xudpProxyUDP443: 'reject' },
        sing_box: { enable: true, protocol: 'smux', brutal: { enable: true, up_mbps: 10, down_mbps: 10 } },
        clash: { enable: true, protocol: 'yamux', statistic: true, only_tcp: false },
      },
      fragment_settings: {
        xray: { packets: 'tlshello', length: '100-200', interval: '10-20' },
        sing_box: { fragment: true, fragment_fallback_delay: '500ms', record_fragment: true },
      },
      noise_settings: { xray: [{ type: 'rand', packet: '10-20', delay: '10-16', apply_to: 'ip' }] },
      random_user_agent: true,
      use_sni_as_host: true,
      status: ['active', 'on_hold'],
      ech_config_list: 'AAAA',
    };
    const created = await create(given);
    expect(created).toMatchObject({ status: 201, body: given });
    expect((await management.call('GET', `/api/host/${idOf(created)}`)).body).toMatchObject(given);
  });

  it('accepts the other names of fields', async () => {
    expect(
      await create({
        alpn: ['http/1.1', 'h2', 'h2'],
        fingerprint: '',
        status: [],
        address: ['b', 'a', 'b'],
        mux_settings: { engine_1: { enabled: true, xudp_concurrency: 4, xudp_proxy_udp_443: 'skip' } },
        noise_settings: { engine_1: [{ type: 'str', packet: 'x', applyTo: 'ipv4' }] },
        transport_settings: { xhttp_settings: { xmux: { max_concurrency: '16-32', h_keep_alive_period: 30 } } },
      }),
    ).toMatchObject({
      status: 201,
      body: {
        alpn: ['h2', 'http/1.1'],
        fingerprint: 'none',
        status: null,
        address: ['b', 'a'],
        mux_settings: { xray: { enabled: true, xudpConcurrency: 4, xudpProxyUDP443: 'skip' } },
        noise_settings: { xray: [{ type: 'str', packet: 'x', apply_to: 'ipv4' }] },
        transport_settings: { xhttp_settings: { xmux: { maxConcurrency: '16-32', hKeepAlivePeriod: 30 } } },
      },
    });
  });

  it.each([
    [
      { remark: undefined, inbound_tag: undefined, priority: undefined },
      { remark: 'Field required', inbound_tag: 'Field required', priority: 'Field required' },
    ],
    [{ remark: '' }, { remark: 'Remark cannot be empty' }],
    [{ remark: '{' }, { remark: 'Stray { at 0: write {{ for a brace' }],
    [
      { remark: '{USERNAME.__class__}' },
      { remark: expect.stringMatching(/^Unknown variable \{USERNAME\.__class__\}/) },
    ],
    [{ address: ['ok', '}'] }, { address: 'Stray } at 0: write }} for a brace' }],
    [{ host: 'h' }, { host: 'Input should be a list of strings' }],
    [
      { path: '/{DATA_LEFT}' },
      { path: expect.stringMatching(/^Unknown variable \{DATA_LEFT\}: known are PROTOCOL, TRANSPORT, USERNAME$/) },
    ],
    [{ port: 70000 }, { port: 'Input should be an integer from 0 to 65535' }],
    [{ alpn: ['h4'] }, { alpn: "Input should be one of 'h3', 'h2', 'http/1.1'" }],
    [{ security: 'xtls' }, { security: "Input should be one of 'inbound_default', 'none', 'tls', 'reality'" }],
    [
      { status: ['asleep'] },
      { status: "Input should be one of 'active', 'expired', 'limited', 'disabled', 'on_hold'" },
    ],
    [
      { http_headers: { 'X-A': 'a\r\nX-B: b' } },
      { http_headers: 'Input should map header names to strings without line breaks' },
    ],
    [
      { transport_settings: { xhttp_settings: { x_padding_bytes: '9-1' } } },
      {
        'transport_settings.xhttp_settings.x_padding_bytes': "Input should be an integer or a range such as '100-200'",
      },
    ],
    [{ mux_settings: { xray: [] } }, { 'mux_settings.xray': 'Input should be an object' }],
    [
      { noise_settings: { xray: [{ type: 'x' }] } },
      {
        'noise_settings.xray.0.type': "Input should be one of 'rand', 'str', 'base64', 'hex'",
        'noise_settings.xray.0.packet': 'Field required',
      },
    ],
  ])('refuses %j', async (more, detail) => {
    const before = await count();
    expect(await create(more)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await count()).toBe(before);
  });

  it.each([
    [{ inbound_tag: 'nowhere' }, 400, 'Inbound tag not found in core configurations', 'INBOUND_TAG_UNKNOWN'],
    [{ security: 'reality' }, 400, 'security reality needs an inbound with reality', 'HOST_SECURITY_REALITY'],
    [download(4711), 404, 'download host not found', 'DOWNLOAD_HOST_NOT_FOUND'],
  ])('refuses %j with the code of the rule', async (more, status, detail, code) => {
    const before = await count();
    expect(await create(more)).toEqual({ status, body: { detail, code } });
    expect(await count()).toBe(before);
  });

  it('accepts a download host, but none that has a download host itself', async () => {
    const plain = idOf(await create());
    const split = await create(download(plain));
    expect(split).toMatchObject({ status: 201, body: download(plain) });
    expect(await create(download(idOf(split)))).toEqual({
      status: 400,
      body: { detail: 'download host cannot have a download host', code: 'DOWNLOAD_HOST_NESTED' },
    });
  });
});

describe('GET /api/hosts', () => {
  it('returns a plain array by priority', async () => {
    const late = idOf(await create({ priority: 1000 }));
    const early = idOf(await create({ priority: -5 }));
    const ids = async (query: string) =>
      [(await management.call('GET', `/api/hosts${query}`)).body].flat().map((body) => idOf({ body }));
    const all = await ids('?offset=0&limit=0');
    expect(all).toHaveLength(await count());
    expect([all.at(0), all.at(-1)]).toEqual([early, late]);
    expect(await ids('?offset=1&limit=2')).toEqual(all.slice(1, 3));
  });
});

describe('GET /api/host/{host_id}', () => {
  it('answers 404 for an unknown host', async () => {
    expect(await management.call('GET', '/api/host/4711')).toEqual({
      status: 404,
      body: { detail: 'Host not found', code: 'HOST_NOT_FOUND' },
    });
  });
});

describe('the limits of a host', () => {
  it.each<[string, object]>([
    ['the longest remark', { remark: 'x'.repeat(256) }],
    ['the longest address, with its comma', { address: ['x'.repeat(200), 'y'.repeat(55)] }],
    ['the longest sni', { sni: ['x'.repeat(500), 'y'.repeat(499)] }],
    ['the longest host', { host: ['x'.repeat(1000)] }],
    ['the longest path', { path: `/${'x'.repeat(255)}` }],
    ['the lowest priority', { priority: -MAX_INT32 - 1 }],
    ['the highest priority and port', { priority: MAX_INT32, port: 65_535 }],
  ])('accept %s', async (_, more) => {
    const id = idOf(await create(more));
    expect((await management.call('GET', `/api/host/${id}`)).body).toMatchObject(more);
  });

  it.each<[string, object, object]>([
    ['remark', { remark: 'x'.repeat(257) }, { remark: 'Input should have at most 256 characters' }],
    [
      'address',
      { address: ['x'.repeat(200), 'y'.repeat(56)] },
      { address: 'Input should have at most 256 characters when joined with commas' },
    ],
    [
      'sni',
      { sni: ['x'.repeat(500), 'y'.repeat(500)] },
      { sni: 'Input should have at most 1000 characters when joined with commas' },
    ],
    [
      'host',
      { host: ['x'.repeat(1001)] },
      { host: 'Input should have at most 1000 characters when joined with commas' },
    ],
    ['path', { path: 'x'.repeat(257) }, { path: 'Input should have at most 256 characters' }],
    [
      'priority',
      { priority: MAX_INT32 + 1 },
      { priority: 'Input should be an integer from -2147483648 to 2147483647' },
    ],
    [
      'ech_config_list',
      { ech_config_list: 'x'.repeat(2049) },
      { ech_config_list: 'Input should have at most 2048 characters' },
    ],
  ])('refuse a longer %s', async (_, more, detail) => {
    const before = await count();
    expect(await create(more)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await count()).toBe(before);
  });
});

function download(id: number) {
  return { transport_settings: { xhttp_settings: { download_settings: id } } };
}
