import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import { fromByteText } from '../../writer/byte-text.js';
import type { DocumentEntry, FormatWriter, WrittenProxy } from '../../writer/format-writer.js';
import { shadowsocksLink } from './shadowsocks-link.js';
import { trojanLink } from './trojan-link.js';
import { vlessLink } from './vless-link.js';
import { vmessLink } from './vmess-link.js';

/** One share link per line, without a trailing newline. They carry whatever the engine does. */
export const LINKS: FormatWriter = { reserved: [], write: link, document: lines };

/** The links as one line of standard base64, the form that most apps expect of a subscription. */
export const LINKS_BASE64: FormatWriter = {
  ...LINKS,
  document: (entries) => fromByteText(lines(entries)).toString('base64'),
};

function lines(entries: readonly DocumentEntry[]): string {
  return entries.map(({ text }) => text).join('\n');
}

function link(proxy: ResolvedProxy): WrittenProxy {
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
