import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { ProxySettings } from '@rampart/domain';
import {
  type CompiledHost,
  type CompiledHosts,
  type HostProbe,
  type HostProbes,
  hostProbes,
  PROBE_CLIENTS,
  type ProbeClient,
} from '@rampart/subscription';
import type { HostProbeColumns } from '../hosts/host-probe.entity.js';
import type { ProbeSettings } from '../settings/probe-settings.dto.js';
import { serverAddresses } from '../settings/server-addresses.js';
import { SettingsService } from '../settings/settings.service.js';
import { type HostReport, isOfAddress, notProbed, probed, reportOf } from './host-report.js';
import { ProbeTarget } from './probe-target.js';
import { ProbeTiming } from './probe-timing.js';
import { ProbeUserService } from './probe-user.service.js';
import type { Viewpoint } from './viewpoint.js';
import { type ViewpointSet, Viewpoints } from './viewpoints.js';

/** Choices of address, port and server name of one host that are probed in a round. */
const MAX_CHOICES = 12;

export interface ProbeOptions {
  readonly clients?: readonly ProbeClient[] | undefined;
  /** Probes run only from these nodes, where they are given. */
  readonly nodeIds?: readonly number[] | undefined;
  /** Another number begins with other nodes. */
  readonly turn?: number;
}

/** Probes hosts as clients would. It stores nothing. */
@Injectable()
export class HostProber implements BeforeApplicationShutdown {
  private readonly open = new Set<ViewpointSet>();
  private closing = false;

  constructor(
    private readonly settings: SettingsService,
    private readonly viewpoints: Viewpoints,
    private readonly user: ProbeUserService,
    private readonly target: ProbeTarget,
    private readonly timing: ProbeTiming,
  ) {}

  /** Ends what is under way: its results say nothing. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.open].map((viewpoints) => viewpoints.close()));
  }

  /** Everything that clients may try for a host, with the given credentials. */
  async probesOf(
    hosts: CompiledHosts,
    host: CompiledHost,
    proxySettings: ProxySettings,
    clients: readonly ProbeClient[] = PROBE_CLIENTS,
  ): Promise<HostProbes> {
    const server = serverAddresses((await this.settings.all()).subscription);
    return hostProbes(hosts, host, {
      ...{ subscriber: subscriber(proxySettings), clients, maxChoices: MAX_CHOICES, server },
      // What takes turns at random in subscriptions is the same in each round, so that a change can be seen.
      ...{ random: () => 0, now: new Date() },
    });
  }

  /** Probes hosts of the same compilation. */
  async probe(
    hosts: CompiledHosts,
    probedHosts: readonly CompiledHost[],
    { clients, nodeIds, turn = 0 }: ProbeOptions = {},
  ): Promise<Map<number, HostReport>> {
    const settings = await this.settings.probes();
    const viewpoints = await this.viewpoints.open(nodeIds, performance.now() + this.timing.roundMs);
    this.open.add(viewpoints);
    try {
      this.throwIfClosing();
      if (!(await this.hasViewpoint(hosts, probedHosts, viewpoints)))
        return this.withoutResults(hosts, probedHosts, clients);
      const found = await this.user.serveDuring(inboundTagsOf(hosts, probedHosts), async (credentials) => {
        const reports = probedHosts.map(async (host, index) => {
          const planned = await this.probesOf(hosts, host, credentials, clients);
          return [host.id, await this.probeHost(planned, viewpoints, settings, turn + index)] as const;
        });
        return new Map(await Promise.all(reports));
      });
      this.throwIfClosing();
      return found;
    } finally {
      this.open.delete(viewpoints);
      await viewpoints.close();
    }
  }

  private throwIfClosing(): void {
    if (this.closing) throw new Error('management is shutting down');
  }

  /** Without any viewpoint no node has to hear of the user. */
  private async hasViewpoint(
    hosts: CompiledHosts,
    probedHosts: readonly CompiledHost[],
    viewpoints: ViewpointSet,
  ): Promise<boolean> {
    for (const host of probedHosts) {
      const { probes } = await this.probesOf(hosts, host, NO_CREDENTIALS);
      for (const { address } of probes) if ((await viewpoints.choose(address, 1, 0)).length > 0) return true;
    }
    return false;
  }

  private async withoutResults(
    hosts: CompiledHosts,
    probedHosts: readonly CompiledHost[],
    clients: ProbeOptions['clients'],
  ): Promise<Map<number, HostReport>> {
    const reports = new Map<number, HostReport>();
    for (const host of probedHosts) {
      reports.set(host.id, reportOf(await this.probesOf(hosts, host, NO_CREDENTIALS, clients), [], new Map()));
    }
    return reports;
  }

  private async probeHost(
    planned: HostProbes,
    viewpoints: ViewpointSet,
    settings: ProbeSettings,
    turn: number,
  ): Promise<HostReport> {
    const names = new Map<number | null, string>();
    const url = settings.url || this.target.url(new Date());
    const groups = groupByAddress(planned.probes);
    const work = [...groups].map(async ([address, probes]) => {
      const chosen = await viewpoints.choose(address, settings.viewpoints, turn);
      for (const { nodeId, name } of chosen) names.set(nodeId, name);
      return Promise.all(chosen.map((viewpoint) => this.probeFrom(viewpoint, probes, url)));
    });
    const results = (await Promise.all(work)).flat(2);
    return reportOf(planned, results, names);
  }

  /** One after another: where an address does not answer, its other probes would only wait for the same. */
  private async probeFrom(
    viewpoint: Viewpoint,
    probes: readonly HostProbe[],
    url: string,
  ): Promise<HostProbeColumns[]> {
    const results: HostProbeColumns[] = [];
    for (const probe of probes) {
      const same = results.find((other) => other.port === probe.port && isOfAddress(other));
      if (same) {
        results.push({ ...same, clients: [...probe.clients], serverName: probe.serverName });
        continue;
      }
      const first = await this.attempt(viewpoint, probe, url);
      // While a server of REALITY measures its target, after each start, it breaks connections off; clients just try again.
      const mayBeStarting = probe.security === 'reality' && first.problem === 'no_answer';
      results.push(mayBeStarting ? await this.attempt(viewpoint, probe, url) : first);
    }
    return results;
  }

  private attempt(viewpoint: Viewpoint, probe: HostProbe, url: string): Promise<HostProbeColumns> {
    const { outbounds, security } = probe;
    const timeoutMs = security === 'reality' ? this.timing.realityProbeMs : this.timing.probeMs;
    return viewpoint.probe({ outbounds, url, timeoutMs }).then(
      (result) => probed(probe, result, viewpoint, url),
      (error: unknown) => notProbed(probe, error, viewpoint),
    );
  }
}

/** Credentials of nobody, for probes that are only looked at. */
export const NO_CREDENTIALS: ProxySettings = {
  vmess: { id: '' },
  vless: { id: '', flow: '' },
  trojan: { password: '' },
  shadowsocks: { password: '', method: 'chacha20-ietf-poly1305' },
};

/** The inbounds through which probes of these hosts go, also for a download through another host. */
function inboundTagsOf(hosts: CompiledHosts, probedHosts: readonly CompiledHost[]): string[] {
  const downloads = probedHosts.flatMap(({ transport }) => {
    const id = transport.type === 'xhttp' ? transport.downloadHostId : undefined;
    const host = id === undefined ? undefined : hosts.hostsById[id];
    return host ? [host] : [];
  });
  return [...new Set([...probedHosts, ...downloads].map(({ inbound }) => inbound.tag))].sort();
}

/** The user of probes as format strings see it. */
const subscriber = (proxySettings: ProxySettings) => ({
  ...{ username: 'probe', status: 'active' as const, usedTraffic: 0, dataLimit: 0, expire: null },
  ...{ onHoldExpireDuration: null, adminUsername: null, proxySettings },
});

function groupByAddress(probes: readonly HostProbe[]): Map<string, HostProbe[]> {
  const groups = new Map<string, HostProbe[]>();
  for (const probe of probes) groups.set(probe.address, [...(groups.get(probe.address) ?? []), probe]);
  return groups;
}
