import { Injectable } from '@nestjs/common';
import type { CompiledHost, CompiledHosts } from '@rampart/subscription';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { ManagementError } from '../errors/management-error.js';
import { HostRepository } from '../hosts/host.repository.js';
import { HostService } from '../hosts/host.service.js';
import { HostHealthRepository } from '../hosts/host-health.repository.js';
import { windowOf } from '../http/page.js';
import { hidesFailing } from '../settings/probe-settings.dto.js';
import { SettingsService } from '../settings/settings.service.js';
import { HostProber, type ProbeOptions } from './host-prober.js';
import { HostRounds } from './host-rounds.js';
import type {
  HostHealthQuery,
  HostHealthView,
  HostProbeOptions,
  HostProbesView,
  UnsavedHostProbe,
} from './probe.dto.js';
import { healthView, reportView } from './probe.view.js';

const DEFAULT_HISTORY = 10;
/** Calls that probe at once in this replica. */
const MAX_CALLS = 4;

@Injectable()
export class ProbeService {
  private calls = 0;

  constructor(
    private readonly database: DataSource,
    private readonly hosts: HostService,
    private readonly rows: HostRepository,
    private readonly health: HostHealthRepository,
    private readonly settings: SettingsService,
    private readonly rounds: HostRounds,
    private readonly prober: HostProber,
  ) {}

  /** Probes a stored host, disabled or not, and stores the results. */
  async probe(id: number, options: HostProbeOptions): Promise<HostProbesView> {
    const stored = await this.rows.findHost(this.database.manager, id);
    const hosts = await this.rounds.compile([stored]);
    const host = usable(hosts, id);
    const reports = await this.limited(`host/${id}`, () => this.rounds.run(hosts, [host], optionsOf(options)));
    return reportView(id, reports.get(id)!);
  }

  /** Probes a host that is not saved; nothing is stored. */
  async probeUnsaved(request: UnsavedHostProbe): Promise<HostProbesView> {
    const host = await this.hosts.unsavedHost(request);
    const hosts = await this.rounds.compile([host]);
    const compiled = usable(hosts, host.id);
    const reports = await this.limited('host/unsaved', () => this.prober.probe(hosts, [compiled], optionsOf(request)));
    return reportView(null, reports.get(host.id)!);
  }

  async hostHealth({ history = DEFAULT_HISTORY, ...page }: HostHealthQuery): Promise<HostHealthView[]> {
    const { manager } = this.database;
    const hosts = await this.rows.listHosts(manager, windowOf(page));
    const ids = hosts.map(({ id }) => id);
    const [health, results, rounds, settings] = await Promise.all([
      this.health.findHealth(manager, ids),
      this.health.findLastResults(manager, ids),
      this.health.findHistory(manager, ids, history),
      this.settings.probes(),
    ]);
    const hides = hidesFailing(settings);
    return hosts.map((host) =>
      healthView(
        host,
        health.find(({ hostId }) => hostId === host.id),
        results.filter(({ hostId }) => hostId === host.id),
        rounds.filter(({ host_id }) => host_id === host.id),
        hides,
      ),
    );
  }

  /** The audit log has who lets our machines connect to where. */
  private async limited<T>(target: string, work: () => Promise<T>): Promise<T> {
    if (this.calls >= MAX_CALLS) throw new ManagementError('TOO_MANY_PROBES', undefined, { 'retry-after': '10' });
    this.calls += 1;
    try {
      await this.database.transaction((manager) => recordAudit(manager, { action: 'host.probe', target }));
      return await work();
    } finally {
      this.calls -= 1;
    }
  }
}

const optionsOf = ({ clients, node_ids }: HostProbeOptions): ProbeOptions => ({
  clients: clients?.length ? clients : undefined,
  nodeIds: node_ids ?? undefined,
});

/** @throws ManagementError when no client gets the host */
function usable(hosts: CompiledHosts, id: number): CompiledHost {
  const host = hosts.hosts.find((one) => one.id === id);
  if (host) return host;
  const problem = hosts.problems.find(({ hostId }) => hostId === id)?.message;
  throw new ManagementError('HOST_NOT_USABLE', problem && `The host is left out of subscriptions: ${problem}`);
}
