import { type JsonObject, limitsTwice, type Network, type OfferedInbound } from '@rampart/core-config';
import type { Host } from '../model/host.js';
import type { HeaderLists, HostTransportSettings } from '../model/host-settings.js';
import type {
  GrpcTransport,
  KcpTransport,
  TcpHttpTransport,
  WsTransport,
  XhttpTransport,
} from '../model/resolved-proxy.js';
import { HostProblem } from './host-problem.js';

/** What a host's transport is for every user; path, host and headers are filled in per request. */
export type CompiledTransport =
  | { readonly type: 'tcp' }
  | { readonly type: 'httpupgrade' }
  | Pick<TcpHttpTransport, 'type' | 'method' | 'version' | 'headerLists' | 'response'>
  | Pick<WsTransport, 'type' | 'heartbeatPeriod'>
  | (Pick<XhttpTransport, 'type' | 'mode' | 'extra'> & { readonly downloadHostId: number | undefined })
  | Pick<GrpcTransport, 'type' | 'multiMode' | 'keepAlive'>
  | KcpTransport;

/** The transport of a host over its inbound: what the host sets counts (contract: rule 6). */
export function compileTransport(
  { transportSettings }: Host,
  inbound: OfferedInbound,
  network: Network,
): CompiledTransport {
  const settings = transportSettings ?? {};
  switch (network) {
    case 'tcp':
      return compileTcp(settings, inbound);
    case 'ws':
      return { type: 'ws', heartbeatPeriod: settings.websocket_settings?.heartbeatPeriod ?? 0 };
    case 'httpupgrade':
      return { type: 'httpupgrade' };
    case 'xhttp':
      return compileXhttp(settings.xhttp_settings ?? {}, inbound);
    case 'grpc':
      return compileGrpc(settings.grpc_settings ?? {}, inbound);
    case 'kcp':
      return compileKcp(settings.kcp_settings ?? {});
  }
}

/** Values of `Host` that the http header of the host's own settings asks for. */
export function tcpHosts({ transportSettings }: Host): readonly string[] {
  return hostHeader(transportSettings?.tcp_settings?.request?.headers ?? {}) ?? [];
}

const hostHeader = (headers: HeaderLists): readonly string[] | undefined =>
  Object.entries(headers).find(([name]) => isHostName(name))?.[1];

/** `Host` has a field of its own, and the engine refuses it among other headers. */
export const isHostName = (name: string): boolean => name.toLowerCase() === 'host';

function compileTcp({ tcp_settings }: HostTransportSettings, { headerType }: OfferedInbound): CompiledTransport {
  const { header, request, response } = tcp_settings ?? {};
  if ((header ?? (headerType || 'none')) === 'none') return { type: 'tcp' };
  const lists = Object.entries(request?.headers ?? {}).filter(([name]) => !isHostName(name));
  return {
    type: 'tcp-http',
    method: request?.method ?? 'GET',
    version: request?.version ?? '1.1',
    headerLists: Object.fromEntries(lists),
    response: response ? withValues(response) : undefined,
  };
}

function compileXhttp(
  settings: NonNullable<HostTransportSettings['xhttp_settings']>,
  { mode, extra }: OfferedInbound,
): CompiledTransport {
  const own = withValues({
    noGRPCHeader: settings.no_grpc_header,
    xPaddingBytes: settings.x_padding_bytes,
    scMaxEachPostBytes: settings.sc_max_each_post_bytes,
    scMinPostsIntervalMs: settings.sc_min_posts_interval_ms,
    xmux: settings.xmux && withValues(settings.xmux),
  });
  const both: JsonObject = { ...extra, ...own };
  if (limitsTwice(both['xmux'])) throw new HostProblem('xmux limits both maxConcurrency and maxConnections');
  return {
    type: 'xhttp',
    mode: settings.mode ?? mode,
    extra: both,
    downloadHostId: settings.download_settings ?? undefined,
  };
}

function compileGrpc(
  settings: NonNullable<HostTransportSettings['grpc_settings']>,
  { mode }: OfferedInbound,
): CompiledTransport {
  const keepAlive = withValues({
    idle_timeout: settings.idle_timeout,
    health_check_timeout: settings.health_check_timeout,
    permit_without_stream: settings.permit_without_stream,
    initial_windows_size: settings.initial_windows_size,
  });
  return { type: 'grpc', multiMode: settings.multi_mode ?? mode === 'multi', keepAlive };
}

function compileKcp(settings: NonNullable<HostTransportSettings['kcp_settings']>): CompiledTransport {
  return {
    type: 'kcp',
    settings: withValues({
      mtu: settings.mtu,
      tti: settings.tti,
      uplinkCapacity: settings.uplink_capacity,
      downlinkCapacity: settings.downlink_capacity,
      congestion: settings.congestion,
      readBufferSize: settings.read_buffer_size,
      writeBufferSize: settings.write_buffer_size,
    }),
  };
}

/** The members that are set: a client has its own defaults for all others. */
function withValues(members: object): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}
