import { type Cell, type Json, type Material, OUTLINE_CELL } from '../cell.js';
import { type CaseOptions, type InboundPartNames, specialCase, withStream } from '../special-case.js';

const TCP: InboundPartNames = ['vless', 'tcp', 'none'];

/** Remarks that people use, and remarks that YAML would read as another type. */
const REMARKS = [
  'سرور ۱ 🇮🇷',
  'Ünïcödé — 東京 #1 & 50% "off"',
  "back\\slash 'quote' <b> ?=+ /",
  '- [list]: {{map}} !tag *alias |',
  '2351e1',
  '0x1f',
  '1_000',
  '.5',
  '007',
  '2026-11-21',
  'null',
  'yes',
  '~',
];

const AS_IT_IS = { lacks: { mihomoLinks: 'it takes slashes in the service of a link for a path' } };

const SERVICES: readonly (readonly [string, Json, CaseOptions])[] = [
  ['my/service', { serviceName: 'my/service' }, AS_IT_IS],
  ['my/service, multi', { serviceName: 'my/service', multiMode: true }, AS_IT_IS],
  ['/my/path/Tun|TunMulti', { serviceName: '/my/path/Tun|TunMulti' }, AS_IT_IS],
  [
    '/my/path/A|B, multi',
    { serviceName: '/my/path/A|B', multiMode: true },
    { lacks: { ...AS_IT_IS.lacks, singBox: 'its stream has one name' } },
  ],
];

const XHTTP: InboundPartNames = ['vless', 'xhttp auto', 'tls'];
const NO_XHTTP = { lacks: { singBox: 'it has no xhttp' } };

const TAKES_QUERY = 'it takes a query for a part of the path';

/** Paths with a query: clients differ in where they end the path. */
const QUERIES: readonly (readonly [InboundPartNames, string, CaseOptions])[] = [
  [['vless', 'ws', 'tls'], 'ws', {}],
  [['vmess', 'ws', 'none'], 'ws', {}],
  [['shadowsocks', 'ws', 'none'], 'ws', {}],
  [['vless', 'httpupgrade', 'tls'], 'httpupgrade', {}],
  [['vless', 'xhttp auto', 'tls'], 'xhttp', { lacks: { singBox: 'it has no xhttp', mihomo: TAKES_QUERY } }],
];

/** Cells with unusual names and services, and with xhttp settings that client and server must share. */
export function textCases(material: Material): Cell[] {
  const xhttp = (title: string, settings: Json, host: Json = {}, names = XHTTP) =>
    specialCase(material, `xhttp: ${title}`, names, {
      ...NO_XHTTP,
      inbounds: [withStream(material, names, { xhttpSettings: { path: '/x', ...settings } })],
      host,
    });
  const settings = (xhttp_settings: Json): Json => ({ transport_settings: { xhttp_settings } });
  const download = (names: InboundPartNames) =>
    specialCase(material, `download settings: ${names.join(' ')}`, names, {
      ...NO_XHTTP,
      downloadHost: { alpn: ['h2'] },
    });
  return [
    ...REMARKS.map((remark) =>
      specialCase(material, `remark ${remark}`, TCP, {
        shownAs: remark.replaceAll('{{', '{').replaceAll('}}', '}'),
        host: { remark },
      }),
    ),
    specialCase(material, 'remark of another host', TCP, {
      shownAs: `${OUTLINE_CELL} (2)`,
      host: { remark: OUTLINE_CELL },
    }),
    ...SERVICES.map(([title, grpcSettings, options]) =>
      specialCase(material, `service ${title}: vless grpc tls`, ['vless', 'grpc', 'tls'], {
        ...options,
        inbounds: [withStream(material, ['vless', 'grpc', 'tls'], { grpcSettings })],
      }),
    ),
    ...QUERIES.map(([names, network, options]) =>
      specialCase(material, `a query in the path of the inbound: ${names.join(' ')}`, names, {
        ...options,
        inbounds: [withStream(material, names, { [`${network}Settings`]: { path: '/q?a=b' } })],
      }),
    ),
    specialCase(material, 'a query and early data in the path of the inbound: vless ws tls', ['vless', 'ws', 'tls'], {
      inbounds: [withStream(material, ['vless', 'ws', 'tls'], { wsSettings: { path: '/q?a=b&ed=2048' } })],
    }),
    ...(['vless', 'trojan', 'shadowsocks'] as const).map((protocol) =>
      specialCase(
        material,
        `a query in the path of the host: ${protocol} ws tls`,
        [protocol, 'ws of one name', 'tls'],
        {
          host: { path: '/o?a=b' },
          lacks: { singBox: TAKES_QUERY },
        },
      ),
    ),
    specialCase(material, 'a query in the path of the host: vless xhttp tls', XHTTP, {
      host: { path: '/x?a=b' },
      lacks: { singBox: 'it has no xhttp', mihomo: TAKES_QUERY },
    }),
    xhttp('padding of the server', { extra: { xPaddingBytes: '2000-3000' } }),
    xhttp(
      'settings of the host',
      {},
      settings({
        no_grpc_header: true,
        x_padding_bytes: '200-300',
        sc_max_each_post_bytes: 500_000,
        sc_min_posts_interval_ms: 20,
        xmux: { maxConcurrency: 8, cMaxReuseTimes: 32, hMaxRequestTimes: 100, hMaxReusableSecs: 600 },
      }),
      ['vless', 'xhttp packet-up', 'tls'],
    ),
    download(['vless', 'xhttp packet-up', 'tls']),
    download(['vless', 'xhttp stream-up', 'tls']),
    specialCase(material, 'numbers as passwords: trojan tcp tls', ['trojan', 'tcp', 'tls'], { user: 'numbers' }),
    specialCase(material, 'numbers as passwords: shadowsocks tcp none', ['shadowsocks', 'tcp', 'none'], {
      user: 'numbers',
    }),
    specialCase(material, 'a user with vision, where it does not work: vless ws tls', ['vless', 'ws', 'tls'], {
      user: 'vision',
    }),
  ];
}
