import fc from 'fast-check';
import type { ProxyProtocol, ProxySecurity, ProxyTransport, ResolvedProxy } from '../model/resolved-proxy.js';
import { proxy, reality, tls, transport, VLESS, VMESS } from './proxy.js';

/** Any text without lone surrogates. */
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const host = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 12 });
const headers = fc.dictionary(fc.stringMatching(/^[A-Za-z-]{1,9}$/), text, { maxKeys: 2 });
const target = fc.record({ path: text, host, headers });

const protocols: fc.Arbitrary<ProxyProtocol> = fc.oneof(
  fc.constant(VMESS),
  fc.constantFrom<ProxyProtocol>(VLESS, { ...VLESS, flow: 'xtls-rprx-vision' }, { ...VLESS, encryption: 'mlkem' }),
  text.map((password) => ({ type: 'trojan', password }) as const),
  fc
    .tuple(fc.constantFrom('aes-256-gcm', '2022-blake3-aes-128-gcm'), text, fc.boolean())
    .map(([method, password, udp]) => ({ type: 'shadowsocks', method, password, udp }) as const),
);

const transports: fc.Arbitrary<ProxyTransport> = fc.oneof(
  fc.constantFrom(transport('tcp'), transport('kcp')),
  target.map((change) => transport('ws', change)),
  target.map((change) => transport('httpupgrade', change)),
  target.map((change) => transport('xhttp', change)),
  target.map((change) => transport('tcp-http', change)),
  text.map((serviceName) => transport('grpc', { serviceName })),
);

const securities: fc.Arbitrary<ProxySecurity> = fc.oneof(
  fc.constantFrom<ProxySecurity>({ type: 'none' }, reality(), reality({ shortId: '2351e1' })),
  host.map((serverName) => tls({ serverName })),
);

/** Resolved proxies of every kind with arbitrary texts; their names may be equal. */
export const anyProxies: fc.Arbitrary<ResolvedProxy[]> = fc.array(
  fc
    .record({
      name: fc.oneof(text, fc.constantFrom('twin', 'proxy', 'auto', 'DIRECT', 'null', '0x1f')),
      protocol: protocols,
      transport: transports,
      security: securities,
    })
    .map((change) => proxy(change)),
  { maxLength: 8 },
);
