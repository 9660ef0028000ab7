import type { JsonObject } from '@rampart/core-config';
import type { ProxySecurity, ProxyTransport, ResolvedProxy } from '../resolved-proxy.js';
import type { LinkQuery } from './url-link.js';

/** How the links of vless, trojan and shadowsocks write transport and security. */
export function streamQuery({ transport, security, finalmask }: ResolvedProxy): LinkQuery {
  return [
    ['security', security.type],
    ...transportQuery(transport),
    ['fm', jsonOrNothing(finalmask)],
    ...securityQuery(security),
  ];
}

function transportQuery(transport: ProxyTransport): LinkQuery {
  switch (transport.type) {
    case 'tcp':
    case 'kcp':
      return [
        ['type', transport.type],
        ['headerType', 'none'],
      ];
    case 'tcp-http':
      return [
        ['type', 'tcp'],
        ['headerType', 'http'],
        ['path', transport.path],
        ['host', transport.host],
      ];
    case 'ws':
    case 'httpupgrade':
      return [
        ['type', transport.type],
        ['path', transport.path],
        ['host', transport.host],
      ];
    case 'xhttp':
      return [
        ['type', 'xhttp'],
        ['path', transport.path],
        ['host', transport.host],
        ['mode', transport.mode],
        ['extra', jsonOrNothing(transport.extra)],
      ];
    case 'grpc':
      return [
        ['type', 'grpc'],
        ['serviceName', transport.serviceName],
        ['authority', transport.authority],
        ['mode', transport.multiMode ? 'multi' : 'gun'],
      ];
  }
}

function securityQuery(security: ProxySecurity): LinkQuery {
  switch (security.type) {
    case 'none':
      return [];
    case 'tls':
      return [
        ['sni', security.serverName],
        ['fp', security.fingerprint],
        ['alpn', security.alpn.join(',')],
        ['pcs', security.pinnedCertificates.join(',')],
      ];
    case 'reality':
      return [
        ['sni', security.serverName],
        ['fp', security.fingerprint],
        ['pbk', security.publicKey],
        ['sid', security.shortId],
        ['spx', security.spiderX],
        ['pqv', security.mldsa65Verify],
      ];
  }
}

/** How links carry an object: as JSON, and not at all when it is empty. */
export function jsonOrNothing(value: JsonObject): string {
  return Object.keys(value).length > 0 ? JSON.stringify(value) : '';
}
