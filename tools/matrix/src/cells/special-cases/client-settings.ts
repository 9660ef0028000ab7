import type { Cell, Json, Material } from '../cell.js';
import { type InboundPartNames, specialCase, withStream } from '../special-case.js';

const NO_XHTTP = { singBox: 'it has no xhttp' };
const NO_KCP = { singBox: 'it has no kcp' };

const MUX = { xray: { enabled: true, concurrency: 8, xudpConcurrency: 16, xudpProxyUDP443: 'reject' } };
const MUXED: readonly InboundPartNames[] = [
  ['vless', 'tcp', 'none'],
  ['vmess', 'ws', 'tls'],
  ['vless', 'httpupgrade', 'none'],
  ['vless', 'grpc', 'tls'],
  ['trojan', 'tcp', 'tls'],
  ['shadowsocks', 'tcp', 'none'],
  ['shadowsocks 2022-blake3-aes-128-gcm', 'tcp', 'none'],
];

/** Fragment settings with short pauses, so that the test stays fast. */
const pieces = (packets: string): Json => ({ packets, length: '20-40', interval: '1-2' });
const pause = (packets: string): Json => ({ packets, length: '20-40', delay: '1-2' });
const FRAGMENTS = { fragment: true, fragment_fallback_delay: '100ms', record_fragment: true };
const FRAGMENTED: readonly InboundPartNames[] = [
  ['vless', 'tcp', 'tls'],
  ['vless', 'ws', 'tls'],
  ['trojan', 'grpc', 'tls'],
  ['vless', 'tcp', 'reality'],
];

const NOISES = [
  { type: 'rand', packet: '10-20', delay: '1-2', apply_to: 'ip' },
  { type: 'str', packet: 'noise', delay: '1-2', apply_to: 'ipv4' },
  { type: 'hex', packet: 'c0ffee', delay: '1-2', apply_to: 'ipv6' },
  { type: 'base64', packet: 'Y29mZmVl', delay: '1-2' },
];

/** Cells with mux, fragment and noise, each with every transport that it affects. */
export function clientSettingCases(material: Material): Cell[] {
  const mux = (names: InboundPartNames, rest = {}) =>
    specialCase(material, `mux: ${names.join(' ')}`, names, { host: { mux_settings: MUX }, ...rest });
  const fragment = (packets: string, names: InboundPartNames, rest = {}) =>
    specialCase(material, `fragment ${packets}: ${names.join(' ')}`, names, {
      host: { fragment_settings: { xray: pieces(packets), sing_box: FRAGMENTS } },
      ...rest,
    });
  const masked = (packets: string, names: InboundPartNames) =>
    specialCase(material, `fragment ${packets} as a mask: ${names.join(' ')}`, names, {
      inbounds: [withStream(material, names, { finalmask: { tcp: [{ type: 'fragment', settings: pause(packets) }] } })],
    });
  const noise = (names: InboundPartNames, rest: { lacks: Json }) =>
    specialCase(material, `noise: ${names.join(' ')}`, names, { host: { noise_settings: { xray: NOISES } }, ...rest });
  return [
    ...MUXED.map((names) => mux(names)),
    mux(['vmess', 'kcp mkcp-original', 'none'], { lacks: NO_KCP }),
    // The engine supports mux over neither of these two, so the documents leave mux out.
    mux(['vless', 'xhttp auto', 'tls'], { lacks: NO_XHTTP }),
    specialCase(material, 'mux: vless vision tcp tls', ['vless', 'tcp', 'tls'], {
      user: 'vision',
      host: { mux_settings: MUX },
    }),
    specialCase(material, 'multiplex of sing-box: vless tcp none', ['vless', 'tcp', 'none'], {
      host: { mux_settings: { sing_box: { enable: true, protocol: 'smux', max_connections: 2 } } },
      written: { singBox: 'the engine does not speak it; the operator is warned' },
    }),
    specialCase(material, 'smux of mihomo: vless tcp none', ['vless', 'tcp', 'none'], {
      host: { mux_settings: { clash: { enable: true, protocol: 'h2mux', max_connections: 2 } } },
      written: { mihomo: 'the engine does not speak it; the operator is warned' },
    }),
    ...FRAGMENTED.map((names) => fragment('tlshello', names)),
    fragment('tlshello', ['vless', 'xhttp auto', 'tls'], { lacks: NO_XHTTP }),
    fragment('1-3', ['vless', 'tcp', 'none']),
    fragment('1-3', ['vmess', 'ws', 'tls']),
    // Only the inbound has this setting; the client needs none. Nodes do not support it beside REALITY.
    ...FRAGMENTED.map((names) => masked('tlshello', names)),
    masked('1-3', ['vmess', 'ws', 'none']),
    noise(['vmess', 'kcp mkcp-original', 'none'], { lacks: NO_KCP }),
    noise(['vless', 'xhttp auto', 'tls h3'], { lacks: NO_XHTTP }),
  ];
}
