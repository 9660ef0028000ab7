import type { JsonObject } from '@rampart/core-config';
import type { GrpcTransport, ProxyTransport } from '../../model/resolved-proxy.js';
import { splitEarlyData } from '../../protocol/early-data.js';
import { grpcService } from '../../protocol/grpc-service.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import { clashStream, hostHeaders } from './clash-stream.js';
import { metaKcp } from './meta-kcp.js';
import { hasQuery, metaXhttp } from './meta-xhttp.js';

/** Transports of mihomo. Undefined: it does not have this one. */
export function metaStream(transport: ProxyTransport, finalmask: JsonObject): object | undefined {
  switch (transport.type) {
    case 'httpupgrade': {
      const options = {
        // Here a question mark is a part of the path for the engine, and begins a query for it.
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

/** A name with a `/` in front is a whole path for it too. */
function grpc({ serviceName, userAgent }: GrpcTransport): object {
  const service = grpcService(serviceName);
  const name = 'name' in service ? service.name : service.customPath;
  return {
    network: 'grpc',
    'grpc-opts': { 'grpc-service-name': name, ...nonEmptyMembers({ 'grpc-user-agent': userAgent }) },
  };
}
