import { isShadowsocks2022 } from '@rampart/domain';
import type { ProxyProtocol, ResolvedProxy } from '../resolved-proxy.js';
import { streamQuery } from './stream-query.js';
import { percentEncode, urlLink } from './url-link.js';

/** SIP002; 2022 methods write the user plain (SIP022). Only a transport other than plain tcp adds parameters. */
export function shadowsocksLink(
  proxy: ResolvedProxy,
  protocol: Extract<ProxyProtocol, { type: 'shadowsocks' }>,
): string {
  const { method, password } = protocol;
  const { transport, security, finalmask } = proxy;
  const user = isShadowsocks2022(method)
    ? `${method}:${percentEncode(password)}`
    : Buffer.from(`${method}:${password}`).toString('base64url');
  const plain = transport.type === 'tcp' && security.type === 'none' && Object.keys(finalmask).length === 0;
  return urlLink('ss', user, proxy, plain ? [] : streamQuery(proxy));
}
