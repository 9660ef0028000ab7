import type { ProxyProtocol, ResolvedProxy } from '../resolved-proxy.js';
import { streamQuery } from './stream-query.js';
import { percentEncode, urlLink } from './url-link.js';

export function vlessLink(proxy: ResolvedProxy, protocol: Extract<ProxyProtocol, { type: 'vless' }>): string {
  return urlLink('vless', percentEncode(protocol.id), proxy, [
    ['encryption', protocol.encryption],
    ['flow', protocol.flow],
    ...streamQuery(proxy),
  ]);
}
