import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import { createHost, type Host, removeOtherHosts } from './fixtures.js';
import { type Call, expectRefused, someText } from './refusal.js';

const UNKNOWN = 987_654;
const TAG = 'settings inbound';
const mux = {
  enable: true,
  protocol: 'h2mux',
  max_connections: 4,
  max_streams: 5,
  min_streams: 6,
  padding: true,
  brutal: { enable: true, up_mbps: 50, down_mbps: 100 },
};
const xmux = {
  maxConcurrency: 1,
  maxConnections: 2,
  cMaxReuseTimes: 3,
  hMaxReusableSecs: 4,
  hMaxRequestTimes: 5,
  hKeepAlivePeriod: 6,
};
const xhttp = (rest: object) => ({ transport_settings: { xhttp_settings: rest } });
const tcp = (rest: object) => ({ transport_settings: { tcp_settings: rest } });
const noise = (rest: object) => ({
  noise_settings: { xray: [{ type: 'rand', packet: '10-20', delay: '1-2', apply_to: 'ip', ...rest }] },
});
const fragment = (rest: object) => ({
  fragment_settings: { xray: { packets: 'tlshello', length: '1-10', interval: '1-10', ...rest } },
});

const settings: readonly (readonly [title: string, rest: Record<string, object>])[] = [
  ['websocket_settings', { transport_settings: { websocket_settings: { heartbeatPeriod: 30 } } }],
  [
    'grpc_settings',
    {
      transport_settings: {
        grpc_settings: {
          multi_mode: true,
          idle_timeout: 1,
          health_check_timeout: 2,
          permit_without_stream: true,
          initial_windows_size: 3,
        },
      },
    },
  ],
  [
    'kcp_settings',
    {
      transport_settings: {
        kcp_settings: {
          header: 'none',
          mtu: 1350,
          tti: 50,
          uplink_capacity: 5,
          downlink_capacity: 20,
          congestion: true,
          read_buffer_size: 2,
          write_buffer_size: 3,
        },
      },
    },
  ],
  [
    'tcp_settings http',
    tcp({
      header: 'http',
      request: { method: 'GET', version: '1.1', headers: { Host: ['a.example', 'b.example'] } },
      response: { status: '200', reason: 'OK', version: '1.1' },
    }),
  ],
  ['tcp_settings none', tcp({ header: 'none' })],
  ...['auto', 'packet-up', 'stream-up', 'stream-one'].map((mode) => [`xhttp mode ${mode}`, xhttp({ mode })] as const),
  [
    'xhttp_settings',
    xhttp({
      no_grpc_header: true,
      x_padding_bytes: '100-1000',
      sc_max_each_post_bytes: 1000,
      sc_min_posts_interval_ms: 30,
      xmux,
    }),
  ],
  ...['reject', 'allow', 'skip'].map(
    (xudpProxyUDP443) =>
      [
        `mux of the first engine, ${xudpProxyUDP443}`,
        { mux_settings: { xray: { enabled: true, concurrency: 8, xudpConcurrency: 16, xudpProxyUDP443 } } },
      ] as const,
  ),
  ...['smux', 'yamux', 'h2mux'].map(
    (protocol) =>
      [`mux of the second engine, ${protocol}`, { mux_settings: { sing_box: { ...mux, protocol } } }] as const,
  ),
  ['mux of the third engine', { mux_settings: { clash: { ...mux, statistic: true, only_tcp: true } } }],
  ['fragments of tlshello', fragment({})],
  ['fragments of a range', fragment({ packets: '1-10' })],
  [
    'fragments of the second engine',
    {
      fragment_settings: {
        sing_box: {
          fragment: true,
          fragment_fallback_delay: '500ms',
          record_fragment: true,
        },
      },
    },
  ],
  ...[
    ['rand', '10-20'],
    ['str', 'text'],
    ['base64', 'dGV4dA=='],
    ['hex', '00ff'],
  ].map(([type, packet]) => [`noise ${type}`, noise({ type, packet })] as const),
  ...['ip', 'ipv4', 'ipv6'].map((apply_to) => [`noise for ${apply_to}`, noise({ apply_to })] as const),
];

const wrong: readonly (readonly [title: string, rest: Record<string, object>])[] = [
  ['a heartbeat that is no integer', { transport_settings: { websocket_settings: { heartbeatPeriod: 'often' } } }],
  ['multi_mode that is no boolean', { transport_settings: { grpc_settings: { multi_mode: 'maybe' } } }],
  ['an idle_timeout that is no integer', { transport_settings: { grpc_settings: { idle_timeout: 1.5 } } }],
  ['an mtu that is no integer', { transport_settings: { kcp_settings: { mtu: 'large' } } }],
  ['congestion that is no boolean', { transport_settings: { kcp_settings: { congestion: 'maybe' } } }],
  ['an unknown tcp header', tcp({ header: 'https' })],
  ['a Host header that is no list', tcp({ header: 'http', request: { headers: { Host: 'a.example' } } })],
  ['an unknown xhttp mode', xhttp({ mode: 'stream-two' })],
  ['no_grpc_header that is no boolean', xhttp({ no_grpc_header: 'maybe' })],
  ['a padding that is no range', xhttp({ x_padding_bytes: 'some' })],
  ['an xmux that is no integer', xhttp({ xmux: { hKeepAlivePeriod: 'long' } })],
  ['a download host that is no id', xhttp({ download_settings: 'other' })],
  ['an unknown xudpProxyUDP443', { mux_settings: { xray: { xudpProxyUDP443: 'deny' } } }],
  ['a concurrency that is no integer', { mux_settings: { xray: { concurrency: 'all' } } }],
  ['an unknown mux protocol', { mux_settings: { sing_box: { protocol: 'xmux' } } }],
  ['brutal that is no boolean', { mux_settings: { sing_box: { brutal: { enable: 'maybe' } } } }],
  ['statistic that is no boolean', { mux_settings: { clash: { statistic: 'maybe' } } }],
  ['fragments of anything else', fragment({ packets: 'serverhello' })],
  ['a fragment length that is no range', fragment({ length: 'long' })],
  ['a delay without a unit', { fragment_settings: { sing_box: { fragment_fallback_delay: 'late' } } }],
  ['an unknown noise', noise({ type: 'loud' })],
  ['noise for anything else', noise({ apply_to: 'ipv5' })],
  ['a noise delay that is no range', noise({ delay: 'late' })],
  ['noise that is no list', { noise_settings: { xray: { type: 'rand', packet: '10-20' } } }],
];

/** Alternative spellings: what is sent, and what the API returns. */
const spellings: readonly (readonly [title: string, sent: Record<string, object>, read: Record<string, object>])[] = [
  [
    'snake_case in mux of the first engine',
    { mux_settings: { xray: { enabled: true, xudp_concurrency: 16, xudp_proxy_udp_443: 'allow' } } },
    { mux_settings: { xray: { enabled: true, xudpConcurrency: 16, xudpProxyUDP443: 'allow' } } },
  ],
  [
    'snake_case in xmux',
    xhttp({ xmux: { max_concurrency: 1, h_keep_alive_period: 2 } }),
    xhttp({ xmux: { maxConcurrency: 1, hKeepAlivePeriod: 2 } }),
  ],
  ['ranges in xmux', xhttp({ xmux: { maxConcurrency: '1-2' } }), xhttp({ xmux: { maxConcurrency: '1-2' } })],
  [
    'the engines by their numbers in mux',
    { mux_settings: { engine_1: { enabled: true }, engine_2: mux, engine_3: { ...mux, only_tcp: true } } },
    { mux_settings: { xray: { enabled: true }, sing_box: mux, clash: { ...mux, only_tcp: true } } },
  ],
  [
    'the engines by their numbers in fragments',
    { fragment_settings: { engine_1: { packets: '1-3' }, engine_2: { fragment: true } } },
    { fragment_settings: { xray: { packets: '1-3' }, sing_box: { fragment: true } } },
  ],
  [
    'the engines by their numbers in noise',
    { noise_settings: { engine_1: [{ type: 'str', packet: 'text', apply_to: 'ipv6' }] } },
    { noise_settings: { xray: [{ type: 'str', packet: 'text', apply_to: 'ipv6' }] } },
  ],
  ['camelCase in the key of an engine', { mux_settings: { singBox: mux } }, { mux_settings: { sing_box: mux } }],
  [
    'camelCase in mux of the second engine',
    { mux_settings: { sing_box: { maxConnections: 4, maxStreams: 5, minStreams: 6 } } },
    { mux_settings: { sing_box: { max_connections: 4, max_streams: 5, min_streams: 6 } } },
  ],
  [
    'camelCase in fragments of the second engine',
    { fragment_settings: { sing_box: { recordFragment: true, fragmentFallbackDelay: '5ms' } } },
    { fragment_settings: { sing_box: { record_fragment: true, fragment_fallback_delay: '5ms' } } },
  ],
  [
    'camelCase in noise',
    { noise_settings: { xray: [{ type: 'str', packet: 'text', applyTo: 'ip' }] } },
    { noise_settings: { xray: [{ type: 'str', packet: 'text', apply_to: 'ip' }] } },
  ],
];

describe('settings of hosts', () => {
  let core: Core;
  let host: Host;
  const body = (rest: object) => ({ remark: 'a host', inbound_tag: TAG, priority: 1, ...rest });
  const both = (rest: object): Call[] => [
    { method: 'POST', path: '/api/host', body: body(rest) },
    { method: 'PUT', path: `/api/host/${host.id}`, body: body(rest) },
  ];
  const refused = (calls: readonly Call[], status: number, detail: unknown) =>
    expectRefused(calls, status, detail, ['/api/hosts']);
  const through = (download_settings: number) => xhttp({ download_settings });

  beforeAll(async () => {
    core = await createCore(vless(TAG, { streamSettings: { network: 'xhttp', xhttpSettings: { path: '/' } } }));
    host = await createHost(TAG);
  });
  afterEach(() => removeOtherHosts(host));
  afterAll(async () => {
    await environment.sudo.remove(`/api/host/${host.id}`);
    await deleteCore(core);
  });

  it.each(settings)('a host keeps %s', async (_title, rest) => {
    const created = await createHost(TAG, rest);
    expect(await environment.sudo.get(`/api/host/${created.id}`)).toMatchObject(rest);
    expect(await environment.sudo.modify(`/api/host/${created.id}`, body({}))).toMatchObject(
      Object.fromEntries(Object.keys(rest).map((name) => [name, null])),
    );
    expect(await environment.sudo.modify(`/api/host/${created.id}`, body(rest))).toMatchObject(rest);
  });

  it.each(spellings)('a host accepts %s', async (_title, sent, read) => {
    expect(await createHost(TAG, sent)).toMatchObject(read);
  });

  it('unknown members of host settings are ignored and not kept', async () => {
    const created = await createHost(TAG, {
      novel: 1,
      transport_settings: { xhttp_settings: { mode: 'auto', novel: 1 } },
    });
    expect(created).toMatchObject(xhttp({ mode: 'auto' }));
    expect(JSON.stringify(await environment.sudo.get(`/api/host/${created.id}`))).not.toContain('novel');
  });

  it.each([
    ['a padding', 100, (value: unknown) => xhttp({ x_padding_bytes: value })],
    ['a size of posts', 1000, (value: unknown) => xhttp({ sc_max_each_post_bytes: value })],
    ['an interval', 30, (value: unknown) => fragment({ interval: value })],
    ['a delay of noise', 10, (value: unknown) => noise({ delay: value })],
  ])('a host takes %s as an integer and as digits', async (_title, value, make) => {
    const [asInteger, asDigits] = [await createHost(TAG, make(value)), await createHost(TAG, make(String(value)))];
    const settingsOf = ({ id: _, version: __, ...rest }: Host & { version?: string }) =>
      JSON.stringify(rest).replaceAll(`"${value}"`, String(value));
    expect(settingsOf(asInteger)).toBe(settingsOf(asDigits));
    expect(settingsOf(asInteger)).toContain(`:${value}`);
  });

  it.each(wrong)('a host with %s is refused, when creating and when modifying', async (_title, rest) => {
    await refused(both(rest), 422, expect.anything());
  });

  it('a host may name another host for the download', async () => {
    const upload = await createHost(TAG, through(host.id));
    expect(await environment.sudo.get(`/api/host/${upload.id}`)).toMatchObject(through(host.id));
  });

  it('a download host that is the host itself, does not exist or has its own download host is refused', async () => {
    const upload = await createHost(TAG, through(host.id));
    const put = (id: number, to: number): Call => ({ method: 'PUT', path: `/api/host/${id}`, body: body(through(to)) });
    const post = (to: number): Call => ({ method: 'POST', path: '/api/host', body: body(through(to)) });
    await refused([put(upload.id, upload.id)], 400, someText);
    await refused([put(upload.id, UNKNOWN), post(UNKNOWN)], 404, 'download host not found');
    const third = await createHost(TAG);
    await refused([put(third.id, upload.id), post(upload.id)], 400, someText);
    await refused([put(host.id, third.id)], 400, someText);
  });

  it('a host forgets its download host when that one is deleted', async () => {
    const download = await createHost(TAG);
    const upload = await createHost(TAG, through(download.id));
    await environment.sudo.remove(`/api/host/${download.id}`);
    const read = await environment.sudo.get<Host>(`/api/host/${upload.id}`);
    expect(JSON.stringify(read['transport_settings'])).not.toMatch(/"download_settings":\d/);
  });
});
