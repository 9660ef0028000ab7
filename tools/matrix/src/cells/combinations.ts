import type { Cell, Material, UserName } from './cell.js';
import {
  type InboundParts,
  inboundOf,
  type ProtocolName,
  type SecurityName,
  type TransportName,
} from './inbound-parts.js';
import { type Lacks, verdictsOf } from './verdicts.js';

/** Several cells: every combination of the listed parts. */
interface Row {
  readonly protocols: readonly ProtocolName[];
  readonly transports: readonly TransportName[];
  readonly securities: readonly SecurityName[];
  readonly users?: readonly UserName[];
  readonly lacks?: Lacks;
}

const ALL = ['none', 'tls', 'reality'] as const;
const OPEN = ['none', 'tls'] as const;
const XHTTP = ['xhttp auto', 'xhttp packet-up', 'xhttp stream-up', 'xhttp stream-one'] as const;
const OTHER_STREAMS = ['ws', 'ws ?ed=2048', 'httpupgrade'] as const;
const MASKS = [
  'kcp mkcp-original',
  'kcp mkcp-aes128gcm',
  'kcp header-wechat',
  'kcp header-srtp',
  'kcp header-utp',
  'kcp header-dtls',
  'kcp header-wireguard',
] as const;

const NO_XHTTP = 'it has no xhttp';
const NO_KCP = 'it has no kcp';
const SPEAKS_H2 = 'its http transport speaks HTTP/2 under TLS';
const TROJAN_IS_TLS = 'its trojan is always under TLS';
const NO_TROJAN_HTTP = 'its trojan has no http header';
const FALLS_BACK = 'it would fall back to tcp';
const NO_PLUGIN = 'its Shadowsocks has plugins, and none for this';

/** The combinations that were measured with real clients (shared/field/client-matrix.md §1), row by row. */
const ROWS: readonly Row[] = [
  { protocols: ['vmess', 'vless'], transports: ['tcp', 'raw'], securities: ALL },
  { protocols: ['vmess', 'vless'], transports: ['tcp + http'], securities: ['none'] },
  {
    protocols: ['vmess', 'vless'],
    transports: ['tcp + http'],
    securities: ['tls', 'reality'],
    lacks: { singBox: SPEAKS_H2 },
  },
  { protocols: ['vmess', 'vless'], transports: OTHER_STREAMS, securities: OPEN },
  { protocols: ['vmess', 'vless'], transports: ['grpc', 'grpc multi'], securities: ALL },
  { protocols: ['vless'], transports: XHTTP, securities: ALL, lacks: { singBox: NO_XHTTP } },
  {
    protocols: ['vmess', 'trojan'],
    transports: XHTTP,
    securities: ALL,
    lacks: { singBox: NO_XHTTP, mihomo: FALLS_BACK },
  },
  { protocols: ['vless'], transports: ['xhttp auto'], securities: ['tls h3'], lacks: { singBox: NO_XHTTP } },
  {
    protocols: ['vmess', 'vless', 'trojan'],
    transports: ['kcp'],
    securities: OPEN,
    lacks: { singBox: NO_KCP, mihomo: 'its kcp wants a mask' },
  },
  { protocols: ['vmess'], transports: MASKS, securities: ['none'], lacks: { singBox: NO_KCP } },
  {
    protocols: ['vmess'],
    transports: ['kcp header-dns'],
    securities: ['none'],
    lacks: { singBox: NO_KCP, mihomo: 'it has no such mask' },
  },
  {
    protocols: ['vless'],
    transports: [...MASKS, 'kcp header-dns'],
    securities: ['none'],
    lacks: { singBox: NO_KCP, mihomo: 'it has kcp for vmess alone' },
  },
  {
    protocols: ['trojan'],
    transports: ['tcp', 'raw', ...OTHER_STREAMS, 'grpc', 'grpc multi'],
    securities: ['none'],
    lacks: { mihomo: TROJAN_IS_TLS },
  },
  {
    protocols: ['trojan'],
    transports: ['tcp', 'raw', ...OTHER_STREAMS, 'grpc', 'grpc multi'],
    securities: ['tls'],
  },
  { protocols: ['trojan'], transports: ['tcp', 'raw', 'grpc', 'grpc multi'], securities: ['reality'] },
  { protocols: ['trojan'], transports: ['tcp + http'], securities: ['none'], lacks: { mihomo: NO_TROJAN_HTTP } },
  {
    protocols: ['trojan'],
    transports: ['tcp + http'],
    securities: ['tls', 'reality'],
    lacks: { singBox: SPEAKS_H2, mihomo: NO_TROJAN_HTTP },
  },
  { protocols: ['vless'], transports: ['tcp', 'raw'], securities: ['tls', 'reality'], users: ['vision'] },
  {
    protocols: ['vless'],
    transports: ['tcp'],
    securities: ['reality, empty short id', 'reality, short id 2351e1'],
    users: ['plain', 'vision'],
  },
  {
    protocols: ['vless mlkem'],
    transports: ['tcp'],
    securities: ['none', 'tls'],
    users: ['plain', 'vision'],
    lacks: { singBox: 'it has no VLESS encryption' },
  },
  {
    protocols: ['vless mlkem'],
    transports: ['xhttp auto'],
    securities: ['reality'],
    users: ['plain', 'vision'],
    lacks: { singBox: NO_XHTTP },
  },
  { protocols: ['vless'], transports: ['tcp'], securities: ['reality mldsa65'], users: ['vision'] },
  {
    protocols: ['shadowsocks'],
    transports: ['tcp'],
    securities: ['none'],
    users: ['plain', 'aes-128-gcm', 'chacha20-ietf-poly1305', 'xchacha20-poly1305'],
  },
  {
    protocols: ['shadowsocks 2022-blake3-aes-128-gcm', 'shadowsocks 2022-blake3-aes-256-gcm'],
    transports: ['tcp'],
    securities: ['none'],
  },
  { protocols: ['shadowsocks'], transports: ['ws'], securities: ['none'] },
  { protocols: ['shadowsocks'], transports: ['ws of one name'], securities: OPEN },
  {
    protocols: ['shadowsocks'],
    transports: ['ws'],
    securities: ['tls'],
    lacks: { singBox: 'its plugin has one name for SNI and host', mihomo: 'its plugin has one name for SNI and host' },
  },
  {
    protocols: ['shadowsocks'],
    transports: ['tcp', 'grpc'],
    securities: ['tls'],
    lacks: { singBox: NO_PLUGIN, mihomo: NO_PLUGIN },
  },
  {
    protocols: ['shadowsocks'],
    transports: ['tcp + http', 'xhttp auto'],
    securities: ['none'],
    lacks: { singBox: NO_PLUGIN, mihomo: NO_PLUGIN },
  },
  {
    protocols: ['shadowsocks'],
    transports: ['tcp'],
    securities: ['reality'],
    lacks: { singBox: NO_PLUGIN, mihomo: NO_PLUGIN },
  },
];

export function combinationCells(material: Material): Cell[] {
  return ROWS.flatMap((row) =>
    row.protocols.flatMap((protocol) =>
      row.transports.flatMap((transport) =>
        row.securities.flatMap((security) =>
          (row.users ?? (['plain'] as const)).map((user) =>
            cellOf({ protocol, transport, security }, user, row.lacks ?? {}, material),
          ),
        ),
      ),
    ),
  );
}

function cellOf(parts: InboundParts, user: UserName, lacks: Lacks, material: Material): Cell {
  const name = [parts.protocol, ...(user === 'plain' ? [] : [user]), parts.transport, parts.security].join(' ');
  return {
    name,
    user,
    inbounds: [{ config: inboundOf(parts, material) }],
    host: {},
    shownAs: name,
    downloadHost: undefined,
    verdicts: verdictsOf(parts, lacks),
  };
}
