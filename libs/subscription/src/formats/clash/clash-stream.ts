import type {
  GrpcTransport,
  Headers,
  ProxyTransport,
  TcpHttpTransport,
  WsTransport,
} from '../../model/resolved-proxy.js';
import { splitEarlyData } from '../../protocol/early-data.js';
import { grpcService } from '../../protocol/grpc-service.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';

/** Transports that the original Clash and mihomo share; undefined for any other transport. */
export function clashStream(transport: ProxyTransport): object | undefined {
  switch (transport.type) {
    case 'tcp':
      return {};
    case 'tcp-http':
      return { network: 'http', 'http-opts': httpOptions(transport) };
    case 'ws':
      return { network: 'ws', 'ws-opts': webSocketOptions(transport) };
    case 'grpc':
      return grpcStream(transport);
    case 'httpupgrade':
    case 'xhttp':
    case 'kcp':
      return undefined;
  }
}

function httpOptions({ method, path, host, headers, headerLists }: TcpHttpTransport): object {
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
  const all = { ...(host !== '' && { Host: [host] }), ...headerLists, ...Object.fromEntries(lists) };
  return { method, path: [path || '/'], ...unlessEmpty('headers', all) };
}

/** The fields for early data. The engine reads early data only from the header that is named here. */
export function webSocketOptions({ path, host, headers }: Pick<WsTransport, 'path' | 'host' | 'headers'>): object {
  const { path: rest, maxEarlyData } = splitEarlyData(path);
  return {
    path: rest || '/',
    ...hostHeaders(host, headers),
    ...(maxEarlyData > 0 && {
      'max-early-data': maxEarlyData,
      'early-data-header-name': 'Sec-WebSocket-Protocol',
    }),
  };
}

export const hostHeaders = (host: string, headers: Headers): object =>
  unlessEmpty('headers', { ...nonEmptyMembers({ Host: host }), ...headers });

function grpcStream({ serviceName }: GrpcTransport): object | undefined {
  const service = grpcService(serviceName);
  return 'name' in service ? { network: 'grpc', 'grpc-opts': { 'grpc-service-name': service.name } } : undefined;
}

export function unlessEmpty(key: string, value: object): object {
  return Object.keys(value).length > 0 ? { [key]: value } : {};
}
