import type { ResolvedProxy } from '../resolved-proxy.js';
import { shadowsocksLink } from './shadowsocks-link.js';
import { trojanLink } from './trojan-link.js';
import { vlessLink } from './vless-link.js';
import { vmessLink } from './vmess-link.js';

/** One share link per line, without a trailing newline. */
export function renderLinks(proxies: readonly ResolvedProxy[]): string {
  return proxies.map(link).join('\n');
}

/** The links as one line of standard base64, the form that most apps expect of a subscription. */
export function renderLinksBase64(proxies: readonly ResolvedProxy[]): string {
  return Buffer.from(renderLinks(proxies)).toString('base64');
}

function link(proxy: ResolvedProxy): string {
  const { protocol } = proxy;
  switch (protocol.type) {
    case 'vmess':
      return vmessLink(proxy, protocol);
    case 'vless':
      return vlessLink(proxy, protocol);
    case 'trojan':
      return trojanLink(proxy, protocol);
    case 'shadowsocks':
      return shadowsocksLink(proxy, protocol);
  }
}
