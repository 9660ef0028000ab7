import type { OfferedInbound } from '@rampart/core-config';
import type { ProxySettings } from '@rampart/domain';
import { type CompiledHosts, compileHosts } from '../compile/compile-hosts.js';
import type { Host } from '../model/host.js';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { resolveProxies } from '../resolve/resolve-proxies.js';
import { clientWarnings } from './client-warnings.js';
import type { HostWarning } from './host-warning.js';
import { settingWarnings } from './setting-warnings.js';

/** @param others hosts by their ids: the ones through which downloads go are looked for among them */
export function hostWarnings(
  host: Host,
  inbounds: ReadonlyMap<string, OfferedInbound>,
  others: ReadonlyMap<number, Host>,
): HostWarning[] {
  const download = others.get(host.transportSettings?.xhttp_settings?.download_settings ?? 0);
  const shown = { ...host, isDisabled: false };
  const compiled = compileHosts(download ? [shown, download] : [shown], inbounds);
  const problem = compiled.problems.find(({ hostId }) => hostId === host.id);
  if (problem) return [{ path: '', code: 'left_out', message: `left out of subscriptions: ${problem.message}` }];
  return sampleOf(host.id, compiled).flatMap((proxy) => [...clientWarnings(proxy), ...settingWarnings(host, proxy)]);
}

/** The host as a user gets it who may use everything. */
function sampleOf(id: number, compiled: CompiledHosts): ResolvedProxy[] {
  const hosts = compiled.hosts.filter((host) => host.id === id);
  return resolveProxies(
    { ...compiled, hosts },
    {
      user: { status: 'active', proxySettings: SAMPLE },
      inboundTags: new Set(compiled.hosts.map(({ inbound }) => inbound.tag)),
      values: {},
      random: () => 0,
      everyStatus: true,
    },
  );
}

const SAMPLE: ProxySettings = {
  vmess: { id: '00000000-0000-4000-8000-000000000000' },
  vless: { id: '00000000-0000-4000-8000-000000000000', flow: 'xtls-rprx-vision' },
  trojan: { password: 'sample' },
  shadowsocks: { password: 'sample', method: 'chacha20-ietf-poly1305' },
};
