import { isShadowsocks2022 } from '@rampart/domain';
import { carriesUdp, type ProxyProtocol, type ResolvedProxy, type TlsSecurity } from '../../model/resolved-proxy.js';
import { verifiesOtherName } from '../../protocol/certificate-name.js';
import { isMasked } from '../../protocol/masks.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import { clashStream } from './clash-stream.js';

/**
 * A proxy of the original Clash, which is no longer developed: it has no VLESS, no REALITY, no newer transports, no
 * fingerprints and no pins. Undefined when it cannot connect in this way.
 */
export function clashProxy(proxy: ResolvedProxy): object | undefined {
  const { name, address, port, protocol } = proxy;
  const user = credentials(protocol);
  const below = user && streamOf(proxy);
  return below && { name, ...user, server: address, port, udp: carriesUdp(protocol), ...below };
}

function credentials(protocol: ProxyProtocol): object | undefined {
  switch (protocol.type) {
    case 'vmess':
      return { type: 'vmess', uuid: protocol.id, alterId: 0, cipher: 'auto' };
    case 'trojan':
      return { type: 'trojan', password: protocol.password };
    case 'shadowsocks':
      return isShadowsocks2022(protocol.method)
        ? undefined
        : { type: 'ss', cipher: protocol.method, password: protocol.password };
    case 'vless':
      return undefined;
  }
}

function streamOf({ protocol, transport, security, finalmask }: ResolvedProxy): object | undefined {
  if (isMasked(finalmask) || security.type === 'reality' || verifiesOtherName(security)) return undefined;
  switch (protocol.type) {
    case 'shadowsocks':
      return transport.type === 'tcp' && security.type === 'none' ? {} : undefined;
    case 'trojan': {
      const stream = transport.type === 'tcp-http' ? undefined : clashStream(transport);
      return security.type === 'tls' && stream ? { ...stream, ...tls(security, 'sni') } : undefined;
    }
    default: {
      const stream = clashStream(transport);
      if (security.type === 'none') return transport.type === 'grpc' ? undefined : stream;
      return stream && { ...stream, tls: true, ...tls(security, 'servername') };
    }
  }
}

function tls({ serverName, alpn, allowInsecure }: TlsSecurity, nameKey: 'sni' | 'servername'): object {
  return {
    ...nonEmptyMembers({ [nameKey]: serverName }),
    ...(nameKey === 'sni' && alpn.length > 0 && { alpn }),
    ...(allowInsecure && { 'skip-cert-verify': true }),
  };
}
