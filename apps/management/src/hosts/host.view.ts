import { ALPN_PROTOCOLS, type OfferedInbound } from '@rampart/core-config';
import { hostWarnings } from '@rampart/subscription';
import { withVersion } from '../http/version.js';
import type { CheckedHostView, HostCreate, HostView } from './host.dto.js';
import type { Host } from './host.entity.js';

/** The columns of a request. What it leaves out gets its default. */
export function hostColumns(request: HostCreate): Omit<Host, 'id'> {
  const alpn = request.alpn ?? [];
  return {
    remark: request.remark,
    address: unique(request.address),
    inboundTag: request.inbound_tag,
    port: request.port || null,
    sni: unique(request.sni),
    host: unique(request.host),
    path: request.path ?? null,
    security: request.security ?? 'inbound_default',
    alpn: ALPN_PROTOCOLS.filter((protocol) => alpn.includes(protocol)),
    fingerprint: request.fingerprint ?? 'none',
    allowInsecure: request.allowinsecure ?? null,
    isDisabled: request.is_disabled ?? false,
    httpHeaders: request.http_headers ?? null,
    transportSettings: request.transport_settings ?? null,
    muxSettings: request.mux_settings ?? null,
    fragmentSettings: request.fragment_settings ?? null,
    noiseSettings: request.noise_settings ?? null,
    randomUserAgent: request.random_user_agent ?? false,
    useSniAsHost: request.use_sni_as_host ?? false,
    priority: request.priority,
    status: unique(request.status),
    echConfigList: request.ech_config_list ?? null,
  };
}

/** A host as the API shows it. */
export function hostView(host: Host): HostView {
  return withVersion({
    id: host.id,
    remark: host.remark,
    address: host.address,
    inbound_tag: host.inboundTag,
    port: host.port,
    sni: host.sni,
    host: host.host,
    path: host.path,
    security: host.security,
    alpn: host.alpn,
    fingerprint: host.fingerprint,
    allowinsecure: host.allowInsecure,
    is_disabled: host.isDisabled,
    http_headers: host.httpHeaders,
    transport_settings: host.transportSettings,
    mux_settings: host.muxSettings,
    fragment_settings: host.fragmentSettings,
    noise_settings: host.noiseSettings,
    random_user_agent: host.randomUserAgent,
    use_sni_as_host: host.useSniAsHost,
    priority: host.priority,
    status: host.status.length > 0 ? host.status : null,
    ech_config_list: host.echConfigList,
  });
}

/** A host as the API shows it, with warnings. Its download host is looked up in `others`, by id. */
export function checkedHostView(
  host: Host,
  inbounds: ReadonlyMap<string, OfferedInbound>,
  others: ReadonlyMap<number, Host>,
): CheckedHostView {
  return { ...hostView(host), warnings: hostWarnings(host, inbounds, others) };
}

/** The view with one more warning where clients did not get through to the host when they last tried. */
export function withProbeWarning<View extends HostView>(view: View, failing: ReadonlyMap<number, string>): View {
  const message = failing.get(view.id);
  if (message === undefined) return view;
  return { ...view, warnings: [...(view.warnings ?? []), { path: '', code: 'fails_probes', message }] };
}

const unique = <T>(values: readonly T[] | null | undefined): T[] => [...new Set(values)];
