import type { ProxyProtocol, ResolvedProxy } from '../../model/resolved-proxy.js';
import { fromByteText } from '../../writer/byte-text.js';
import type { DocumentEntry, FormatWriter, WrittenProxy } from '../../writer/format-writer.js';
import { shadowsocksLink } from './shadowsocks-link.js';
import { streamQuery } from './stream-query.js';
import { percentEncode, urlLink } from './url-link.js';
import { vmessLink } from './vmess-link.js';

/** One share link per line, without a trailing newline. Links can carry every proxy that the engine can serve. */
export const LINKS: FormatWriter = { reservedNames: [], writeProxy: writeLink, writeDocument: joinLines };

/** The same links as one line of standard Base64, the form that most clients expect of a subscription. */
export const LINKS_BASE64: FormatWriter = {
  ...LINKS,
  writeDocument: (entries) => fromByteText(joinLines(entries)).toString('base64'),
};

function joinLines(entries: readonly DocumentEntry[]): string {
  return entries.map(({ text }) => text).join('\n');
}

function writeLink(proxy: ResolvedProxy): WrittenProxy {
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

function vlessLink(proxy: ResolvedProxy, protocol: Extract<ProxyProtocol, { type: 'vless' }>): WrittenProxy {
  const text = urlLink('vless', percentEncode(protocol.id), proxy, [
    ['encryption', protocol.encryption],
    ['flow', protocol.flow],
    ...streamQuery(proxy),
  ]);
  return { text, escapeText: percentEncode };
}

function trojanLink(proxy: ResolvedProxy, protocol: Extract<ProxyProtocol, { type: 'trojan' }>): WrittenProxy {
  const text = urlLink('trojan', percentEncode(protocol.password), proxy, streamQuery(proxy));
  return { text, escapeText: percentEncode };
}
