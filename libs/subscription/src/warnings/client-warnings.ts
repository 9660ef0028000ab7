import { renderProxies, type SubscriptionFormat } from '../formats/subscription-format.js';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { verifiesOtherName } from '../protocol/certificate-name.js';
import { splitEarlyData } from '../protocol/early-data.js';
import { grpcService } from '../protocol/grpc-service.js';
import { isMasked } from '../protocol/masks.js';
import type { HostWarning } from './host-warning.js';

/** The clients that are checked. The original Clash and Outline are not, because they support only few protocols anyway. */
const CLIENTS: readonly (readonly [SubscriptionFormat, string])[] = [
  ['sing_box', 'sing-box'],
  ['clash_meta', 'mihomo'],
];

/** Warnings about clients that do not get a proxy, because they do not support what it uses. */
export function clientWarnings(proxy: ResolvedProxy): HostWarning[] {
  return CLIENTS.filter(([format]) => renderProxies(format, [proxy]).leftOut > 0).map(([, client]) => ({
    path: '',
    code: 'left_out_for_client',
    message: `left out for ${client} clients: they do not carry ${kindOf(proxy)}`,
  }));
}

/** Describes a proxy, such as `vless over xhttp with reality`. */
function kindOf({ protocol, transport, security, finalmask }: ResolvedProxy): string {
  const isEncrypted = protocol.type === 'vless' && protocol.encryption !== 'none';
  const isCustom = transport.type === 'grpc' && !('name' in grpcService(transport.serviceName));
  const hasQuery = 'path' in transport && splitEarlyData(transport.path).path.includes('?');
  return [
    isEncrypted ? 'vless encryption' : protocol.type,
    `over ${transport.type === 'tcp-http' ? 'tcp with an http header' : transport.type}`,
    isCustom ? 'under a stream name of its own' : '',
    hasQuery ? 'with a query in the path' : '',
    security.type === 'none' ? 'without tls' : `with ${security.type}`,
    verifiesOtherName(security) ? 'whose certificate is for another name' : '',
    isMasked(finalmask) ? 'behind masks' : '',
  ]
    .filter(Boolean)
    .join(' ');
}
