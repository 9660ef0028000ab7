import type { JsonObject } from '@rampart/core-config';
import { given } from '../given.js';
import type { ProxySecurity, ProxyTransport, ResolvedProxy } from '../resolved-proxy.js';

/** `streamSettings` of an outbound, under the names that old and new engines know. */
export function xrayStream({ transport, security, finalmask }: ResolvedProxy): object {
  return { ...transportSettings(transport), ...securitySettings(security), ...unlessEmpty('finalmask', finalmask) };
}

function unlessEmpty(key: string, value: JsonObject): object {
  return Object.keys(value).length > 0 ? { [key]: value } : {};
}

function transportSettings(transport: ProxyTransport): object {
  switch (transport.type) {
    case 'tcp':
      return { network: 'tcp' };
    case 'tcp-http': {
      const { path, host } = transport;
      const request = { path: [path || '/'], ...(host !== '' && { headers: { Host: [host] } }) };
      return { network: 'tcp', tcpSettings: { header: { type: 'http', request } } };
    }
    case 'ws':
      return { network: 'ws', wsSettings: pathAndHost(transport) };
    case 'httpupgrade':
      return { network: 'httpupgrade', httpupgradeSettings: pathAndHost(transport) };
    case 'xhttp': {
      const { mode, extra } = transport;
      return { network: 'xhttp', xhttpSettings: { ...pathAndHost(transport), mode, ...unlessEmpty('extra', extra) } };
    }
    case 'grpc': {
      const { serviceName, authority, multiMode } = transport;
      return { network: 'grpc', grpcSettings: { serviceName, ...given({ authority }), multiMode } };
    }
    case 'kcp':
      return { network: 'kcp', kcpSettings: {} };
  }
}

function pathAndHost({ path, host }: { path: string; host: string }): object {
  return { path: path || '/', ...given({ host }) };
}

function securitySettings(security: ProxySecurity): object {
  switch (security.type) {
    case 'none':
      return { security: 'none' };
    case 'tls': {
      const { serverName, fingerprint, alpn, pinnedCertificates } = security;
      const tlsSettings = {
        ...given({ serverName, fingerprint, pinnedPeerCertSha256: pinnedCertificates.join(',') }),
        ...(alpn.length > 0 && { alpn }),
      };
      return { security: 'tls', tlsSettings };
    }
    case 'reality': {
      const { serverName, fingerprint, publicKey, shortId, spiderX, mldsa65Verify } = security;
      const realitySettings = { serverName, fingerprint, publicKey, shortId, ...given({ spiderX, mldsa65Verify }) };
      return { security: 'reality', realitySettings };
    }
  }
}
