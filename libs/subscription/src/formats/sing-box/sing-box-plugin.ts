import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import { splitEarlyData } from '../../protocol/early-data.js';

/**
 * The plugin for Shadowsocks over a websocket. It uses one name for SNI and `Host`, and cannot pin certificates; undefined
 * when it cannot connect in this way.
 */
export function shadowsocksPlugin({ transport, security }: ResolvedProxy): object | undefined {
  if (transport.type === 'tcp' && security.type === 'none') return {};
  if (transport.type !== 'ws' || security.type === 'reality') return undefined;
  const { path, maxEarlyData } = splitEarlyData(transport.path);
  if (maxEarlyData > 0 || path.includes('?') || Object.keys(transport.headers).length > 0) return undefined;
  const options = [
    ['mode', 'websocket'],
    ['mux', '0'],
    ['path', path || '/'],
  ];
  if (security.type === 'none') {
    if (transport.host !== '') options.push(['host', transport.host]);
    return plugin(options);
  }
  const name = security.serverName || transport.host;
  if (security.allowInsecure || (transport.host !== '' && transport.host !== name)) return undefined;
  return plugin([...options, ...(name === '' ? [] : [['host', name]]), ['tls']]);
}

/** Joins the options of a plugin; `;`, `=` and `\` are escaped. */
function plugin(options: readonly (readonly string[])[]): object {
  const escaped = (text: string) => text.replace(/[\\;=]/g, '\\$&');
  return { plugin: 'v2ray-plugin', plugin_opts: options.map((pair) => pair.map(escaped).join('=')).join(';') };
}
