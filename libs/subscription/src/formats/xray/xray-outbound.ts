import type { ProxyProtocol, ResolvedProxy } from '../../model/resolved-proxy.js';
import { type XrayDialer, xrayDialer } from './xray-dialer.js';
import { xrayMux } from './xray-mux.js';
import { xrayStream } from './xray-stream.js';

/** The outbounds of a proxy: itself, and its dialer where it has one. */
export function xrayOutbounds(proxy: ResolvedProxy): readonly object[] {
  const dialer = xrayDialer(proxy);
  return [xrayOutbound(proxy, dialer), ...dialer.outbounds];
}

/** The outbound `proxy` of a client configuration. */
function xrayOutbound(proxy: ResolvedProxy, { sockopt }: Pick<XrayDialer, 'sockopt'>): object {
  const { address, port, protocol } = proxy;
  return {
    tag: 'proxy',
    protocol: protocol.type,
    settings: settings(protocol, { address, port }),
    streamSettings: { ...xrayStream(proxy), ...sockopt },
    ...xrayMux(proxy),
  };
}

/** The settings of the protocol. The server is in a list, because newer engines refuse a flat address without TLS. */
function settings(protocol: ProxyProtocol, server: { address: string; port: number }): object {
  switch (protocol.type) {
    case 'vmess':
      return { vnext: [{ ...server, users: [{ id: protocol.id, security: 'auto' }] }] };
    case 'vless': {
      const { id, encryption, flow } = protocol;
      return { vnext: [{ ...server, users: [{ id, encryption, ...(flow !== '' && { flow }) }] }] };
    }
    case 'trojan':
      return { servers: [{ ...server, password: protocol.password }] };
    case 'shadowsocks':
      return { servers: [{ ...server, method: protocol.method, password: protocol.password }] };
  }
}
