import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import { type FormatWriter, jsonProxy } from '../../writer/format-writer.js';
import { xrayOutbounds } from './xray-outbound.js';

/** A JSON array with one complete client configuration per proxy. */
export const XRAY: FormatWriter = {
  reservedNames: [],
  writeProxy: (proxy) => jsonProxy(clientConfig(proxy)),
  writeDocument: (entries) => `[${entries.map(({ text }) => text).join(',')}]`,
};

function clientConfig(proxy: ResolvedProxy): object {
  return {
    remarks: proxy.name,
    log: { loglevel: 'warning' },
    dns: { servers: ['1.1.1.1', '8.8.8.8'] },
    inbounds: [
      { tag: 'socks', listen: '127.0.0.1', port: 10808, protocol: 'socks', settings: { auth: 'noauth', udp: true } },
      { tag: 'http', listen: '127.0.0.1', port: 10809, protocol: 'http', settings: {} },
    ],
    // Connections that no rule matches use the first outbound.
    outbounds: [
      ...xrayOutbounds(proxy),
      { tag: 'direct', protocol: 'freedom', settings: {} },
      { tag: 'block', protocol: 'blackhole', settings: {} },
    ],
    routing: { domainStrategy: 'AsIs', rules: [] },
  };
}
