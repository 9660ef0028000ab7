import type { ProxyProtocol, ResolvedProxy } from '../../model/resolved-proxy.js';
import type { WrittenProxy } from '../../writer/format-writer.js';
import { streamQuery } from './stream-query.js';
import { percentEncode, urlLink } from './url-link.js';

export function vlessLink(proxy: ResolvedProxy, protocol: Extract<ProxyProtocol, { type: 'vless' }>): WrittenProxy {
  const text = urlLink('vless', percentEncode(protocol.id), proxy, [
    ['encryption', protocol.encryption],
    ['flow', protocol.flow],
    ...streamQuery(proxy),
  ]);
  return { text, escaped: percentEncode };
}
