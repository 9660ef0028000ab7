import type { ProxyProtocol, ResolvedProxy } from '../resolved-proxy.js';
import { CREDENTIALS } from './user.js';

export const VMESS = { type: 'vmess', id: CREDENTIALS.vmess.id } as const satisfies ProxyProtocol;
export const VLESS = {
  type: 'vless',
  id: CREDENTIALS.vless.id,
  flow: '',
  encryption: 'none',
} as const satisfies ProxyProtocol;
export const TROJAN = { type: 'trojan', password: CREDENTIALS.trojan.password } as const satisfies ProxyProtocol;
export const SHADOWSOCKS = {
  type: 'shadowsocks',
  method: 'aes-256-gcm',
  password: 'pä?s>s',
} as const satisfies ProxyProtocol;
export const SHADOWSOCKS_2022 = {
  type: 'shadowsocks',
  method: '2022-blake3-aes-128-gcm',
  password: 'AAECAwQFBgcICQoLDA0ODw==:m3+t/xny8opupgAag8aEhA==',
} as const satisfies ProxyProtocol;

/** A VLESS proxy over plain tcp with the given changes. */
export function proxy(change: Partial<ResolvedProxy> = {}): ResolvedProxy {
  return {
    name: 'name',
    address: 'a.example',
    port: 443,
    protocol: VLESS,
    transport: { type: 'tcp' },
    security: { type: 'none' },
    finalmask: {},
    ...change,
  };
}
