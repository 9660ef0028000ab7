/** Client outbounds to an inbound of a test node on the loopback address. */

export function vlessOutbound(port: number, id: string): Record<string, unknown> {
  return {
    protocol: 'vless',
    settings: { vnext: [{ address: '127.0.0.1', port, users: [{ id, encryption: 'none' }] }] },
  };
}

/** For 2022 methods the password is `inboundKey:userKey`, or the inbound's key alone. */
export function shadowsocksOutbound(port: number, method: string, password: string): Record<string, unknown> {
  return { protocol: 'shadowsocks', settings: { servers: [{ address: '127.0.0.1', port, method, password }] } };
}

export function vmessOutbound(port: number, id: string): Record<string, unknown> {
  return {
    protocol: 'vmess',
    settings: { vnext: [{ address: '127.0.0.1', port, users: [{ id, security: 'auto' }] }] },
  };
}

export function trojanOutbound(port: number, password: string): Record<string, unknown> {
  return { protocol: 'trojan', settings: { servers: [{ address: '127.0.0.1', port, password }] } };
}
