import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import { isMasked } from '../../protocol/masks.js';
import { type FormatWriter, jsonProxy } from '../../writer/format-writer.js';

/** A dynamic access key of Outline: the first Shadowsocks server that it supports; an empty object without one. */
export const OUTLINE: FormatWriter = {
  reservedNames: [],
  writeProxy: (proxy) => jsonProxy(outlineServer(proxy)),
  writeDocument: ([first]) => first?.text ?? '{}',
};

function outlineServer(proxy: ResolvedProxy): object | undefined {
  const { name, address, port, protocol, transport, security, finalmask } = proxy;
  const isPlain = transport.type === 'tcp' && security.type === 'none' && !isMasked(finalmask);
  if (protocol.type !== 'shadowsocks' || !isPlain || !OUTLINE_METHODS.includes(protocol.method)) return undefined;
  return { server: address, server_port: port, password: protocol.password, method: protocol.method, tag: name };
}

/** The methods that Outline supports. */
const OUTLINE_METHODS = ['chacha20-ietf-poly1305', 'aes-256-gcm', 'aes-192-gcm', 'aes-128-gcm'];
