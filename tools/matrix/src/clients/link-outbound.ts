import type { ParsedLink } from '@rampart/testing';
import type { Json } from '../cells/cell.js';

/** Converts a share link to an Xray outbound, independently of the code under test. */
export function linkOutbound(link: ParsedLink): Json & { readonly streamSettings: Json } {
  const query = link.scheme === 'vmess' ? fromVmess(link.parameters) : link.parameters;
  return {
    protocol: link.scheme === 'ss' ? 'shadowsocks' : link.scheme,
    settings: settingsOf(link),
    streamSettings: { ...transportOf(query), ...securityOf(query), ...json('finalmask', query['fm']) },
  };
}

type Query = Readonly<Record<string, string>>;

/** Renames the parameters of a vmess link to those of other links. */
function fromVmess({ net = '', type = '', tls = '', path = '', host = '', ...others }: Query): Query {
  const grpc = { serviceName: path, authority: host, mode: type };
  const common = { ...others, type: net, security: tls };
  if (net === 'grpc') return { ...common, ...grpc };
  return { ...common, path, host, ...(net === 'xhttp' ? { mode: type } : { headerType: type }) };
}

function settingsOf({ scheme, user, host: address, port, parameters }: ParsedLink): Json {
  const server = { address, port };
  switch (scheme) {
    case 'vmess':
      return { vnext: [{ ...server, users: [{ id: user, security: parameters['scy'] }] }] };
    case 'vless': {
      const { encryption, flow = '' } = parameters;
      return { vnext: [{ ...server, users: [{ id: user, encryption, flow }] }] };
    }
    case 'trojan':
      return { servers: [{ ...server, password: user }] };
    case 'ss': {
      const [method = ''] = user.split(':', 1);
      return { servers: [{ ...server, method, password: user.slice(method.length + 1) }] };
    }
    default:
      throw new Error(`a link of an unknown scheme: ${scheme}`);
  }
}

function transportOf(query: Query): Json {
  const { type: network = 'tcp', path = '', host = '' } = query;
  switch (network) {
    case 'tcp': {
      const request = { path: [path || '/'], headers: { Host: host.split(',') } };
      return { network, ...(query['headerType'] === 'http' && { tcpSettings: { header: { type: 'http', request } } }) };
    }
    case 'ws':
      return { network, wsSettings: { path, host, heartbeatPeriod: Number(query['heartbeatPeriod'] ?? 0) } };
    case 'httpupgrade':
      return { network, httpupgradeSettings: { path, host } };
    case 'xhttp':
      return { network, xhttpSettings: { path, host, mode: query['mode'], ...json('extra', query['extra']) } };
    case 'grpc': {
      const { serviceName, authority, mode } = query;
      return { network, grpcSettings: { serviceName, authority, multiMode: mode === 'multi' } };
    }
    case 'kcp':
      return { network, kcpSettings: { ...number('mtu', query['mtu']), ...number('tti', query['tti']) } };
    default:
      throw new Error(`a link with an unknown transport: ${network}`);
  }
}

function securityOf({ security = 'none', sni, fp, alpn, pcs, vcn, ech, pbk, sid, spx, pqv }: Query): Json {
  switch (security) {
    case 'tls': {
      const tlsSettings = {
        serverName: sni,
        fingerprint: fp,
        pinnedPeerCertSha256: pcs,
        verifyPeerCertByName: vcn,
        echConfigList: ech,
        alpn: alpn?.split(',').filter(Boolean),
      };
      return { security, tlsSettings };
    }
    case 'reality': {
      const realitySettings = {
        serverName: sni,
        fingerprint: fp,
        publicKey: pbk,
        shortId: sid,
        spiderX: spx,
        mldsa65Verify: pqv,
      };
      return { security, realitySettings };
    }
    default:
      return { security: 'none' };
  }
}

const json = (name: string, text: string | undefined): Json => (text ? { [name]: JSON.parse(text) } : {});
const number = (name: string, text: string | undefined): Json => (text ? { [name]: Number(text) } : {});
