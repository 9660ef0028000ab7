import type { JsonObject } from '@rampart/core-config';
import type {
  ProxySecurity,
  ProxyTransport,
  ResolvedProxy,
  ResolvedServer,
  XhttpTransport,
} from '../../model/resolved-proxy.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';

/** The member `streamSettings` of an outbound, with names that old and new engines know. */
export function xrayStream({ transport, security, finalmask }: ResolvedProxy): object {
  return { ...transportSettings(transport), ...securitySettings(security), ...unlessEmpty('finalmask', finalmask) };
}

/** Settings that an xhttp client needs beside path, host and mode; empty = none. Links carry them as JSON. */
export function xhttpExtra({ extra, headers, download }: XhttpTransport): JsonObject {
  return {
    ...extra,
    ...unlessEmpty('headers', headers),
    ...(download !== undefined && { downloadSettings: downloadSettings(download) }),
  };
}

function downloadSettings({ address, port, transport, security }: ResolvedServer): object {
  return { address, port, ...transportSettings(transport), ...securitySettings(security) };
}

function unlessEmpty(key: string, value: JsonObject): object {
  return Object.keys(value).length > 0 ? { [key]: value } : {};
}

function transportSettings(transport: ProxyTransport): object {
  switch (transport.type) {
    case 'tcp':
      return { network: 'tcp' };
    case 'tcp-http': {
      const { method, version, path, host, headers, headerLists, response } = transport;
      const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
      const all = { ...(host !== '' && { Host: [host] }), ...headerLists, ...Object.fromEntries(lists) };
      const request = { version, method, path: [path || '/'], ...unlessEmpty('headers', all) };
      return { network: 'tcp', tcpSettings: { header: { type: 'http', request, ...(response && { response }) } } };
    }
    case 'ws': {
      const { heartbeatPeriod, headers } = transport;
      const wsSettings = {
        ...pathAndHost(transport),
        ...unlessEmpty('headers', headers),
        ...(heartbeatPeriod > 0 && { heartbeatPeriod }),
      };
      return { network: 'ws', wsSettings };
    }
    case 'httpupgrade': {
      const httpupgradeSettings = { ...pathAndHost(transport), ...unlessEmpty('headers', transport.headers) };
      return { network: 'httpupgrade', httpupgradeSettings };
    }
    case 'xhttp': {
      const extra = unlessEmpty('extra', xhttpExtra(transport));
      return { network: 'xhttp', xhttpSettings: { ...pathAndHost(transport), mode: transport.mode, ...extra } };
    }
    case 'grpc': {
      const { serviceName, authority, multiMode, userAgent, keepAlive } = transport;
      const named = nonEmptyMembers({ authority, user_agent: userAgent });
      return { network: 'grpc', grpcSettings: { serviceName, ...named, multiMode, ...keepAlive } };
    }
    case 'kcp':
      return { network: 'kcp', kcpSettings: transport.settings };
  }
}

function pathAndHost({ path, host }: { path: string; host: string }): object {
  return { path: path || '/', ...nonEmptyMembers({ host }) };
}

function securitySettings(security: ProxySecurity): object {
  switch (security.type) {
    case 'none':
      return { security: 'none' };
    case 'tls': {
      const { serverName, fingerprint, alpn, pinnedCertificates, verifiedNames, echConfigList } = security;
      const tlsSettings = {
        ...nonEmptyMembers({
          serverName,
          fingerprint,
          pinnedPeerCertSha256: pinnedCertificates.join(','),
          verifyPeerCertByName: verifiedNames.join(','),
          echConfigList,
        }),
        ...(alpn.length > 0 && { alpn }),
      };
      return { security: 'tls', tlsSettings };
    }
    case 'reality': {
      const { serverName, fingerprint, publicKey, shortId, spiderX, mldsa65Verify } = security;
      const realitySettings = {
        serverName,
        fingerprint,
        publicKey,
        shortId,
        ...nonEmptyMembers({ spiderX, mldsa65Verify }),
      };
      return { security: 'reality', realitySettings };
    }
  }
}
