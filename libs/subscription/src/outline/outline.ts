import type { RenderedSubscription } from '../rendered.js';
import type { ResolvedProxy } from '../resolved-proxy.js';

/** A dynamic access key of Outline: one Shadowsocks server, the first that it can use; an empty object without any. */
export function renderOutline(proxies: readonly ResolvedProxy[]): RenderedSubscription {
  const usable = proxies.flatMap(outlineServer);
  return { body: JSON.stringify(usable[0] ?? {}), leftOut: proxies.length - usable.length };
}

function outlineServer({ name, address, port, protocol, transport, security, finalmask }: ResolvedProxy): object[] {
  const isPlain = transport.type === 'tcp' && security.type === 'none' && Object.keys(finalmask).length === 0;
  if (protocol.type !== 'shadowsocks' || !isPlain || !METHODS.includes(protocol.method)) return [];
  return [{ server: address, server_port: port, password: protocol.password, method: protocol.method, tag: name }];
}

/** Outline knows the AEAD ciphers of the first generation. */
const METHODS = ['chacha20-ietf-poly1305', 'aes-256-gcm', 'aes-192-gcm', 'aes-128-gcm'];
