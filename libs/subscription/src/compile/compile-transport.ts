import { type JsonObject, limitsTwice, type Network, type OfferedInbound } from '@rampart/core-config';
import type { CompiledTransport } from '../model/compiled-host.js';
import type { Host } from '../model/host.js';
import type { HeaderLists, HostTransportSettings } from '../model/host-settings.js';
import { HostProblem } from './host-problem.js';

/**
 * The transport of a host. Settings of the host take precedence over those of its inbound (contract: "Subscription
 * generation rules", rule 6).
 *
 * @throws HostProblem when the settings contradict each other.
 */
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

/** The values of the `Host` header in the HTTP header settings of a host; empty without such a header. */
export function hostHeaderOf({ transportSettings }: Host): readonly string[] {
  return findHostHeader(transportSettings?.tcp_settings?.request?.headers ?? {}) ?? [];
}

const findHostHeader = (headers: HeaderLists): readonly string[] | undefined =>
  Object.entries(headers).find(([name]) => isHostHeader(name))?.[1];

/** Whether a header is `Host`, which has a field of its own: the engine refuses it among the other headers. */
export const isHostHeader = (name: string): boolean => name.toLowerCase() === 'host';

function compileTcp({ tcp_settings }: HostTransportSettings, { headerType }: OfferedInbound): CompiledTransport {
  const { header, request, response } = tcp_settings ?? {};
  if ((header ?? (headerType || 'none')) === 'none') return { type: 'tcp' };
  const lists = Object.entries(request?.headers ?? {}).filter(([name]) => !isHostHeader(name));
  return {
    type: 'tcp-http',
    method: request?.method ?? 'GET',
    version: request?.version ?? '1.1',
    headerLists: Object.fromEntries(lists),
    response: response ? definedMembers(response) : undefined,
  };
}

function compileXhttp(
  settings: NonNullable<HostTransportSettings['xhttp_settings']>,
  { mode, extra }: OfferedInbound,
): CompiledTransport {
  const ownSettings = definedMembers({
    noGRPCHeader: settings.no_grpc_header,
    xPaddingBytes: settings.x_padding_bytes,
    scMaxEachPostBytes: settings.sc_max_each_post_bytes,
    scMinPostsIntervalMs: settings.sc_min_posts_interval_ms,
    xmux: settings.xmux && definedMembers(settings.xmux),
  });
  const merged: JsonObject = { ...extra, ...ownSettings };
  if (limitsTwice(merged['xmux'])) throw new HostProblem('xmux limits both maxConcurrency and maxConnections');
  return {
    type: 'xhttp',
    mode: settings.mode ?? mode,
    extra: merged,
    downloadHostId: settings.download_settings ?? undefined,
  };
}

function compileGrpc(
  settings: NonNullable<HostTransportSettings['grpc_settings']>,
  { mode }: OfferedInbound,
): CompiledTransport {
  const keepAlive = definedMembers({
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
    settings: definedMembers({
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

/** The members that are neither undefined nor null: clients have their own defaults for the others. */
function definedMembers(members: object): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}
