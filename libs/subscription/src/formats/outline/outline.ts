import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import { isMasked } from '../../protocol/masks.js';
import { type FormatWriter, jsonProxy } from '../../writer/format-writer.js';

/** A dynamic access key of Outline: one Shadowsocks server, the first that it can use; an empty object without any. */
export const OUTLINE: FormatWriter = {
  reservedNames: [],
  writeProxy: (proxy) => jsonProxy(outlineServer(proxy)),
  writeDocument: ([first]) => first?.text ?? '{}',
};

function outlineServer(proxy: ResolvedProxy): object | undefined {
  const { name, address, port, protocol, transport, security, finalmask } = proxy;
  const isPlain = transport.type === 'tcp' && security.type === 'none' && !isMasked(finalmask);
  if (protocol.type !== 'shadowsocks' || !isPlain || !METHODS.includes(protocol.method)) return undefined;
  return { server: address, server_port: port, password: protocol.password, method: protocol.method, tag: name };
}

/** Outline knows the AEAD ciphers of the first generation. */
const METHODS = ['chacha20-ietf-poly1305', 'aes-256-gcm', 'aes-192-gcm', 'aes-128-gcm'];
