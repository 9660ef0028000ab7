import type { ProxyProtocol, ResolvedProxy } from '../../model/resolved-proxy.js';
import type { WrittenProxy } from '../../writer/format-writer.js';
import { streamQuery } from './stream-query.js';
import { percentEncode, urlLink } from './url-link.js';

export function trojanLink(proxy: ResolvedProxy, protocol: Extract<ProxyProtocol, { type: 'trojan' }>): WrittenProxy {
  const text = urlLink('trojan', percentEncode(protocol.password), proxy, streamQuery(proxy));
  return { text, escaped: percentEncode };
}
