import type { JsonObject } from '@rampart/core-config';
import type { GrpcTransport, ProxyTransport } from '../../model/resolved-proxy.js';
import { splitEarlyData } from '../../protocol/early-data.js';
import { grpcService } from '../../protocol/grpc-service.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import { clashStream, hostHeaders } from './clash-stream.js';
import { metaKcp } from './meta-kcp.js';
import { hasQuery, metaXhttp } from './meta-xhttp.js';

/** The transport of a mihomo proxy; undefined when mihomo does not have it. */
export function metaStream(transport: ProxyTransport, finalmask: JsonObject): object | undefined {
  switch (transport.type) {
    case 'httpupgrade': {
      const options = {
        // The engine takes the question mark as part of the path here, but mihomo begins a query there.
        path: splitEarlyData(transport.path).path.replaceAll('?', '%3F') || '/',
        ...hostHeaders(transport.host, transport.headers),
      };
      return { network: 'ws', 'ws-opts': { ...options, 'v2ray-http-upgrade': true } };
    }
    case 'grpc':
      return grpc(transport);
    case 'xhttp':
      return hasQuery(transport) ? undefined : { network: 'xhttp', 'xhttp-opts': metaXhttp(transport) };
    case 'kcp':
      return metaKcp(transport, finalmask);
    default:
      return clashStream(transport);
  }
}

/** The gRPC service name: mihomo, too, takes a name that begins with `/` as a whole path. */
function grpc({ serviceName, userAgent }: GrpcTransport): object {
  const service = grpcService(serviceName);
  const name = 'name' in service ? service.name : service.customPath;
  return {
    network: 'grpc',
    'grpc-opts': { 'grpc-service-name': name, ...nonEmptyMembers({ 'grpc-user-agent': userAgent }) },
  };
}
