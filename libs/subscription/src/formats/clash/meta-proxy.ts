import type { ClashMuxSettings } from '../../model/host-settings.js';
import { carriesUdp, type ProxyProtocol, type ResolvedProxy } from '../../model/resolved-proxy.js';
import { verifiesOtherName } from '../../protocol/certificate-name.js';
import { splitEarlyData } from '../../protocol/early-data.js';
import { isMasked } from '../../protocol/masks.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import { canHandshake, metaSecurity, metaTrust } from './meta-security.js';
import { metaStream } from './meta-stream.js';

/** A proxy of mihomo; undefined when it cannot connect in this way. */
export function metaProxy(proxy: ResolvedProxy): object | undefined {
  const { name, address, port, protocol } = proxy;
  const below = protocol.type === 'shadowsocks' ? shadowsocksPlugin(proxy) : streamOf(proxy);
  if (below === undefined) return undefined;
  return {
    name,
    ...credentials(protocol),
    server: address,
    port,
    udp: carriesUdp(protocol),
    ...below,
    ...smux(proxy.mux.clash ?? {}),
  };
}

function streamOf(proxy: ResolvedProxy): object | undefined {
  if (lacks(proxy)) return undefined;
  const { protocol, transport, security, finalmask } = proxy;
  const stream = metaStream(transport, finalmask);
  return stream && { ...stream, ...metaSecurity(security, protocol.type === 'trojan' ? 'sni' : 'servername') };
}

/**
 * Whether mihomo lacks something that the proxy needs: it would accept such a proxy and silently connect in another way.
 */
function lacks({ protocol, transport, security, finalmask }: ResolvedProxy): boolean {
  if (transport.type === 'kcp') return protocol.type !== 'vmess' || security.type !== 'none';
  if (isMasked(finalmask) || !canHandshake(security)) return true;
  if (transport.type === 'xhttp') return protocol.type !== 'vless';
  return protocol.type === 'trojan' && (security.type === 'none' || transport.type === 'tcp-http');
}

function credentials(protocol: ProxyProtocol): object {
  switch (protocol.type) {
    case 'vmess':
      return { type: 'vmess', uuid: protocol.id, alterId: 0, cipher: 'auto' };
    case 'vless': {
      const encryption = protocol.encryption === 'none' ? '' : protocol.encryption;
      return { type: 'vless', uuid: protocol.id, ...nonEmptyMembers({ flow: protocol.flow, encryption }) };
    }
    case 'trojan':
      return { type: 'trojan', password: protocol.password };
    case 'shadowsocks':
      return { type: 'ss', cipher: protocol.method, password: protocol.password };
  }
}

/** The plugin for Shadowsocks over a websocket. It uses one name for SNI and `Host`. */
function shadowsocksPlugin({ transport, security, finalmask }: ResolvedProxy): object | undefined {
  if (isMasked(finalmask) || verifiesOtherName(security)) return undefined;
  if (transport.type === 'tcp' && security.type === 'none') return {};
  if (transport.type !== 'ws' || security.type === 'reality') return undefined;
  const { path, maxEarlyData } = splitEarlyData(transport.path);
  const name = security.type === 'tls' ? security.serverName || transport.host : transport.host;
  if (maxEarlyData > 0 || (transport.host !== '' && transport.host !== name)) return undefined;
  return {
    plugin: 'v2ray-plugin',
    'plugin-opts': {
      mode: 'websocket',
      mux: false,
      path: path || '/',
      ...nonEmptyMembers({ host: name }),
      ...(Object.keys(transport.headers).length > 0 && { headers: transport.headers }),
      ...(security.type === 'tls' && { tls: true, ...metaTrust(security) }),
    },
  };
}

/** The smux settings as the operator has set them. The engine does not support them, of which a host warning tells. */
function smux(settings: ClashMuxSettings): object {
  const { enable, protocol, max_connections, max_streams, min_streams, padding, statistic, only_tcp, brutal } =
    settings;
  if (!enable) return {};
  const brutalOptions = {
    enabled: true,
    ...nonEmptyMembers({ up: String(brutal?.up_mbps || ''), down: String(brutal?.down_mbps || '') }),
  };
  return {
    smux: {
      enabled: true,
      ...nonEmptyMembers({ protocol: protocol ?? '' }),
      ...(max_connections && { 'max-connections': max_connections }),
      ...(min_streams && { 'min-streams': min_streams }),
      ...(max_streams && { 'max-streams': max_streams }),
      ...(padding && { padding }),
      ...(statistic && { statistic }),
      ...(only_tcp && { 'only-tcp': only_tcp }),
      ...(brutal?.enable && { 'brutal-opts': brutalOptions }),
    },
  };
}
