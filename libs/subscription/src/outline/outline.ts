import { isMasked } from '../masks.js';
import type { ResolvedProxy } from '../resolved-proxy.js';
import { asJson, type SubscriptionWriter } from '../subscription-writer.js';

/** A dynamic access key of Outline: one Shadowsocks server, the first that it can use; an empty object without any. */
export const OUTLINE: SubscriptionWriter = {
  reserved: [],
  write: (proxy) => asJson(outlineServer(proxy)),
  document: ([first]) => first?.text ?? '{}',
};

function outlineServer(proxy: ResolvedProxy): object | undefined {
  const { name, address, port, protocol, transport, security, finalmask } = proxy;
  const isPlain = transport.type === 'tcp' && security.type === 'none' && !isMasked(finalmask);
  if (protocol.type !== 'shadowsocks' || !isPlain || !METHODS.includes(protocol.method)) return undefined;
  return { server: address, server_port: port, password: protocol.password, method: protocol.method, tag: name };
}

/** Outline knows the AEAD ciphers of the first generation. */
const METHODS = ['chacha20-ietf-poly1305', 'aes-256-gcm', 'aes-192-gcm', 'aes-128-gcm'];
