import { DEFAULT_SHADOWSOCKS_METHOD, type ProxySettings, SHADOWSOCKS_METHODS, VLESS_FLOWS } from '@rampart/domain';

/**
 * Reads credentials from their column. A damaged credential is read as empty: the node refuses its user by name, but
 * neither a start nor a subscription fails.
 */
export function storedProxySettings(stored: unknown): ProxySettings {
  const flow = textAt(stored, 'vless', 'flow');
  const method = textAt(stored, 'shadowsocks', 'method');
  return {
    vmess: { id: textAt(stored, 'vmess', 'id') },
    vless: { id: textAt(stored, 'vless', 'id'), flow: VLESS_FLOWS.find((known) => known === flow) ?? '' },
    trojan: { password: textAt(stored, 'trojan', 'password') },
    shadowsocks: {
      password: textAt(stored, 'shadowsocks', 'password'),
      method: SHADOWSOCKS_METHODS.find((known) => known === method) ?? DEFAULT_SHADOWSOCKS_METHOD,
    },
  };
}

function textAt(stored: unknown, protocol: string, name: string): string {
  const text = memberOf(memberOf(stored, protocol), name);
  return typeof text === 'string' ? text : '';
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
