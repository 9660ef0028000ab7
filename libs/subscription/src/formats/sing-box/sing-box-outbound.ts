import type { SingBoxMuxSettings } from '../../model/host-settings.js';
import type { ProxyProtocol, ResolvedProxy } from '../../model/resolved-proxy.js';
import { verifiesOtherName } from '../../protocol/certificate-name.js';
import { isMasked } from '../../protocol/masks.js';
import { VMESS_CIPHER } from '../../protocol/vmess-cipher.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import type { SingBoxAbilities } from './sing-box-abilities.js';
import { shadowsocksPlugin } from './sing-box-plugin.js';
import { singBoxTls } from './sing-box-tls.js';
import { singBoxTransport } from './sing-box-transport.js';

/** The outbound for a proxy; undefined when sing-box cannot connect in this way. */
export function singBoxOutbound(proxy: ResolvedProxy, abilities: SingBoxAbilities): object | undefined {
  const { name, address, port, protocol } = proxy;
  if (isMasked(proxy.finalmask) || verifiesOtherName(proxy.security)) return undefined;
  const below = protocol.type === 'shadowsocks' ? shadowsocksPlugin(proxy) : streamOf(proxy, abilities);
  const user = credentials(protocol);
  if (below === undefined || user === undefined) return undefined;
  return {
    type: protocol.type,
    tag: name,
    server: address,
    server_port: port,
    ...user,
    ...below,
    ...multiplex(proxy.mux.sing_box ?? {}),
  };
}

function streamOf({ transport, security, fragment }: ResolvedProxy, abilities: SingBoxAbilities): object | undefined {
  const tls = singBoxTls(security, fragment.sing_box ?? {}, abilities);
  const stream = singBoxTransport(transport, security);
  return tls && stream && { ...tls, ...stream };
}

function credentials(protocol: ProxyProtocol): object | undefined {
  switch (protocol.type) {
    case 'vmess':
      return { uuid: protocol.id, security: VMESS_CIPHER };
    case 'vless':
      return protocol.encryption === 'none'
        ? { uuid: protocol.id, ...nonEmptyMembers({ flow: protocol.flow }) }
        : undefined;
    case 'trojan':
      return { password: protocol.password };
    case 'shadowsocks':
      return { method: protocol.method, password: protocol.password, ...(!protocol.udp && { network: 'tcp' }) };
  }
}

/** The multiplex settings as the operator has set them. The engine does not support them, of which a host warning tells. */
function multiplex(settings: SingBoxMuxSettings): object {
  const { enable, protocol, max_connections, max_streams, min_streams, padding, brutal } = settings;
  if (!enable) return {};
  const limits = { max_connections, min_streams, max_streams };
  const speeds = { up_mbps: brutal?.up_mbps, down_mbps: brutal?.down_mbps };
  return {
    multiplex: {
      enabled: true,
      ...nonEmptyMembers({ protocol: protocol ?? '' }),
      ...withValues(limits),
      ...(padding && { padding }),
      ...(brutal?.enable && { brutal: { enabled: true, ...withValues(speeds) } }),
    },
  };
}

const withValues = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value === 'number' && value > 0));
