import { isShadowsocks2022 } from '@rampart/domain';
import type { ResolvedProxy, ShadowsocksProtocol } from '../../model/resolved-proxy.js';
import type { WrittenProxy } from '../../writer/format-writer.js';
import { streamQuery } from './stream-query.js';
import { percentEncode, urlLink } from './url-link.js';

/**
 * A link of Shadowsocks (SIP002). With 2022 methods the user part is percent-encoded instead of Base64 (SIP022). Plain TCP
 * needs no parameters.
 */
export function shadowsocksLink(proxy: ResolvedProxy, { method, password }: ShadowsocksProtocol): WrittenProxy {
  const { transport, security, finalmask } = proxy;
  const plain = transport.type === 'tcp' && security.type === 'none' && Object.keys(finalmask).length === 0;
  const user = `${method}:${percentEncode(password)}`;
  const text = urlLink('ss', user, proxy, plain ? [] : streamQuery(proxy));
  return { text, escapeText: percentEncode, ...(!isShadowsocks2022(method) && { encodeText: withUserInBase64 }) };
}

function withUserInBase64(link: string): string {
  const [start, end] = ['ss://'.length, link.indexOf('@')];
  const user = decodeURIComponent(link.slice(start, end));
  return `ss://${Buffer.from(user).toString('base64url')}${link.slice(end)}`;
}
