import type { Cell, Json, Material } from '../cell.js';
import { SECURITIES } from '../inbound-parts.js';
import { type CaseOptions, changed, type InboundPartNames, specialCase, withStream } from '../special-case.js';

const TCP: InboundPartNames = ['vless', 'tcp', 'none'];
const ALL_ADDRESSES = { listen: '::' };

/** Cells about ports, addresses and inbounds that are reached through fallbacks. */
export function reachCases(material: Material): Cell[] {
  const first = material.ports(12);
  const ported = (title: string, port: string, host: Json = {}) =>
    specialCase(material, title, TCP, { inbounds: [changed(material, TCP, { port })], host });
  const loopback = (names: InboundPartNames, address = '::1') =>
    specialCase(material, `IPv6 ${address}: ${names.join(' ')}`, names, {
      inbounds: [changed(material, names, { listen: '::1' })],
      host: { address: [address] },
    });
  return [
    ported('ports "a"', String(first)),
    ported('ports "a,b"', `${first + 1},${first + 2}`),
    ported('ports "a-b"', `${first + 3}-${first + 5}`),
    ported('ports "a, b-c"', `${first + 6}, ${first + 7}-${first + 8}`),
    ported('ports "a-b", the last one', `${first + 9}-${first + 11}`, { port: first + 11 }),
    specialCase(material, 'several addresses', TCP, {
      inbounds: [changed(material, TCP, ALL_ADDRESSES)],
      host: { address: ['127.0.0.1', '::1', '[::1]', ' 127.0.0.2 '] },
    }),
    loopback(['vless', 'ws', 'tls']),
    loopback(['vmess', 'tcp', 'none']),
    loopback(['trojan', 'grpc', 'tls']),
    loopback(['shadowsocks', 'tcp', 'none']),
    loopback(['vless', 'tcp', 'reality'], '[::1]'),
    ...fallbackCases(material),
  ];
}

/** Paths without a space, because the engine compares a fallback path in the encoded form that clients send. */
const CHILD_PATHS: Readonly<Record<string, Json>> = { ws: { wsSettings: { path: '/child', host: 'w.example' } } };

/** Cells whose inbound is a child behind a parent's fallbacks: it takes the parent's port and security. */
function fallbackCases(material: Material): Cell[] {
  const behind = (title: string, names: InboundPartNames, family: Family, options: CaseOptions = {}) => {
    const [protocol, transport] = names;
    const { parent, fallback, listen, sockopt } = family;
    const port = material.ports(1);
    const at = listen === undefined ? { port } : { port: undefined, listen };
    const child = withStream(material, [protocol, transport, 'none'], {
      ...CHILD_PATHS[transport],
      ...(sockopt && { sockopt }),
    });
    const settings = { decryption: 'none', fallbacks: [{ ...fallback, dest: listen ?? port }] };
    const outside = changed(material, [parent, 'tcp', 'none'], {
      settings,
      streamSettings: { network: 'tcp', ...family.security },
    });
    const inbounds = [{ config: { ...child.config, ...at }, isChild: true }, outside];
    return specialCase(material, `fallback ${title}`, names, { inbounds, ...options });
  };
  const tls = SECURITIES.tls(material);
  const h2: Json = {
    security: 'tls',
    tlsSettings: { certificates: [material.certificate], alpn: ['h2', 'http/1.1'] },
  };
  const reality = SECURITIES.reality(material);
  const byPath = (path: string, security = tls) => ({ parent: 'vless', fallback: { path }, security }) as const;
  const byAlpn = { parent: 'vless', fallback: { alpn: 'h2' }, security: h2 } as const;
  const rest = { parent: 'vless', fallback: {}, security: reality } as const;
  const xver = (version: number) => ({
    ...byPath('/child'),
    fallback: { path: '/child', xver: version },
    ...(version > 0 && { sockopt: { acceptProxyProtocol: true } }),
  });
  const noXhttp = { lacks: { singBox: 'it has no xhttp' } };
  return [
    ...[0, 1, 2].map((version) =>
      behind(`by path, xver ${version}: vless tls → vless ws`, ['vless', 'ws', 'tls'], xver(version)),
    ),
    behind('by path: trojan tls → vmess ws', ['vmess', 'ws', 'tls'], { ...byPath('/child'), parent: 'trojan' }),
    behind('by path: trojan tls → trojan httpupgrade', ['trojan', 'httpupgrade', 'tls'], {
      ...byPath('/u'),
      parent: 'trojan',
    }),
    behind('by ALPN: vless tls → vless grpc', ['vless', 'grpc', 'tls'], byAlpn),
    behind(
      'over a socket: vless tls → vless xhttp',
      ['vless', 'xhttp auto', 'tls'],
      { ...byAlpn, listen: material.socket() },
      noXhttp,
    ),
    behind('by path: vless tls → vmess tcp + http', ['vmess', 'tcp + http', 'tls'], byPath('/h'), {
      lacks: { singBox: 'its http transport speaks HTTP/2 under TLS' },
    }),
    behind('of the rest: vless vision reality → vless xhttp', ['vless', 'xhttp auto', 'reality'], rest, {
      ...noXhttp,
      user: 'vision',
    }),
    behind('of the rest: vless vision reality → vless grpc', ['vless', 'grpc', 'reality'], rest, { user: 'vision' }),
  ];
}

interface Family {
  readonly parent: 'vless' | 'trojan';
  readonly fallback: Json;
  readonly security: Json;
  /** Path of a unix socket, used instead of a port. */
  readonly listen?: string;
  readonly sockopt?: Json;
}
