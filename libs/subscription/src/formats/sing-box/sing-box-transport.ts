import type {
  GrpcTransport,
  Headers,
  ProxySecurity,
  ProxyTransport,
  TcpHttpTransport,
} from '../../model/resolved-proxy.js';
import { splitEarlyData } from '../../protocol/early-data.js';
import { grpcService } from '../../protocol/grpc-service.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';

/** The member `transport` of an outbound, empty for plain TCP; undefined when sing-box does not have the transport. */
export function singBoxTransport(transport: ProxyTransport, security: ProxySecurity): object | undefined {
  switch (transport.type) {
    case 'tcp':
      return {};
    case 'tcp-http':
      // With TLS, the http transport of sing-box speaks HTTP/2, which is another protocol.
      return security.type === 'none' ? { transport: http(transport) } : undefined;
    case 'ws': {
      const { path, maxEarlyData } = splitEarlyData(transport.path);
      // sing-box would send the question mark as part of the path.
      if (path.includes('?')) return undefined;
      const early = { max_early_data: maxEarlyData, early_data_header_name: 'Sec-WebSocket-Protocol' };
      return { transport: { type: 'ws', path: path || '/', ...withHost(transport), ...(maxEarlyData > 0 && early) } };
    }
    case 'httpupgrade': {
      const { host, headers } = transport;
      const path = splitEarlyData(transport.path).path || '/';
      return { transport: { type: 'httpupgrade', path, ...nonEmptyMembers({ host }), ...unlessEmpty(headers) } };
    }
    case 'grpc':
      return grpc(transport);
    case 'xhttp':
    case 'kcp':
      return undefined;
  }
}

function http({ path, host, method, headers, headerLists }: TcpHttpTransport): object {
  const all = { ...headerLists, ...headers };
  return { type: 'http', method, path: path || '/', ...(host !== '' && { host: [host] }), ...unlessEmpty(all) };
}

/** The gRPC transport; undefined for a stream that is not called `Tun`. */
function grpc({ serviceName, keepAlive }: GrpcTransport): object | undefined {
  const service = grpcService(serviceName);
  if (!('name' in service)) return undefined;
  const seconds = (key: string) => (typeof keepAlive[key] === 'number' ? `${keepAlive[key]}s` : '');
  return {
    transport: {
      type: 'grpc',
      service_name: service.name,
      ...nonEmptyMembers({ idle_timeout: seconds('idle_timeout'), ping_timeout: seconds('health_check_timeout') }),
      ...(keepAlive['permit_without_stream'] === true && { permit_without_stream: true }),
    },
  };
}

const withHost = ({ host, headers }: { host: string; headers: Headers }): object =>
  unlessEmpty({ ...nonEmptyMembers({ Host: host }), ...headers });

const unlessEmpty = (headers: object): object => (Object.keys(headers).length > 0 ? { headers } : {});
