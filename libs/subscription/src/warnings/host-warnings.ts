import type { OfferedInbound } from '@rampart/core-config';
import type { ProxySettings } from '@rampart/domain';
import { compileHosts } from '../compile/compile-hosts.js';
import type { CompiledHosts } from '../model/compiled-host.js';
import { type Host, PLAIN_HOST } from '../model/host.js';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { resolveProxy } from '../resolve/resolve-proxy.js';
import { selectProxies } from '../resolve/select-proxies.js';
import { clientWarnings } from './client-warnings.js';
import type { HostWarning } from './host-warning.js';
import { settingWarnings } from './setting-warnings.js';

/**
 * Warnings about a host that will not work as its operator may expect, for disabled hosts too.
 *
 * @param inbounds all offered inbounds by their tags.
 * @param others all hosts by their ids, among which the host for the download is looked up.
 */
export function hostWarnings(
  host: Host,
  inbounds: ReadonlyMap<string, OfferedInbound>,
  others: ReadonlyMap<number, Host>,
): HostWarning[] {
  const download = others.get(host.transportSettings?.xhttp_settings?.download_settings ?? 0);
  const enabled = { ...host, isDisabled: false };
  const compiled = compileHosts(download ? [enabled, download] : [enabled], inbounds);
  const problem = compiled.problems.find(({ hostId }) => hostId === host.id);
  if (problem) return [{ path: '', code: 'left_out', message: `left out of subscriptions: ${problem.message}` }];
  return sampleProxies(host.id, compiled).flatMap((proxy) => [
    ...clientWarnings(proxy),
    ...settingWarnings(host, proxy),
  ]);
}

/** Warnings about clients that do not get an inbound through a host without settings of its own. */
export function inboundWarnings(inbound: OfferedInbound): HostWarning[] {
  const host = { ...PLAIN_HOST, inboundTag: inbound.tag, port: 443 };
  return hostWarnings(host, new Map([[inbound.tag, inbound]]), new Map()).filter(
    ({ code }) => code === 'left_out_for_client',
  );
}

/** The proxy of a host for a user who may use every inbound. */
function sampleProxies(id: number, compiled: CompiledHosts): ResolvedProxy[] {
  const hosts = compiled.hosts.filter((host) => host.id === id);
  const request = {
    user: { status: 'active', proxySettings: SAMPLE_CREDENTIALS },
    inboundTags: new Set(compiled.hosts.map(({ inbound }) => inbound.tag)),
    values: {},
    random: () => 0,
    everyStatus: true,
  } as const;
  return selectProxies({ ...compiled, hosts }, request).map(resolveProxy);
}

const SAMPLE_CREDENTIALS: ProxySettings = {
  vmess: { id: '00000000-0000-4000-8000-000000000000' },
  vless: { id: '00000000-0000-4000-8000-000000000000', flow: 'xtls-rprx-vision' },
  trojan: { password: 'sample' },
  shadowsocks: { password: 'sample', method: 'chacha20-ietf-poly1305' },
};
