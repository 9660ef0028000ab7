import type { OfferedInbound } from '@rampart/core-config';
import { type ProxySettings, shadowsocks2022Key } from '@rampart/domain';
import type { ProxyProtocol } from '../model/resolved-proxy.js';

/** Full names of methods that the engine also takes without `ietf`; other clients know the full names only. */
const FULL_METHOD_NAMES: ReadonlyMap<string, string> = new Map([
  ['chacha20-poly1305', 'chacha20-ietf-poly1305'],
  ['xchacha20-poly1305', 'xchacha20-ietf-poly1305'],
]);

/** The protocol of an inbound with the credentials of one user, as this inbound expects them. */
export function resolveProtocol(inbound: OfferedInbound, settings: ProxySettings): ProxyProtocol {
  switch (inbound.protocol) {
    case 'vmess':
      return { type: 'vmess', id: settings.vmess.id };
    case 'vless': {
      const flow = inbound.vision ? settings.vless.flow || inbound.flow : '';
      return { type: 'vless', id: settings.vless.id, flow, encryption: inbound.encryption };
    }
    case 'trojan':
      return { type: 'trojan', password: settings.trojan.password };
    case 'shadowsocks': {
      const { method, password } = settings.shadowsocks;
      const { is2022, udp } = inbound;
      if (!is2022) return { type: 'shadowsocks', method: FULL_METHOD_NAMES.get(method) ?? method, password, udp };
      const key = shadowsocks2022Key(inbound.method, password);
      return { type: 'shadowsocks', method: inbound.method, password: `${inbound.password}:${key}`, udp };
    }
  }
}
