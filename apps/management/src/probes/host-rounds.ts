import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CompiledHost, type CompiledHosts, compileHosts } from '@rampart/subscription';
import { DataSource } from 'typeorm';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import type { Host } from '../hosts/host.entity.js';
import { HostService } from '../hosts/host.service.js';
import { HostHealthRepository } from '../hosts/host-health.repository.js';
import { SettingsService } from '../settings/settings.service.js';
import { HostProber, NO_CREDENTIALS, type ProbeOptions } from './host-prober.js';
import type { HostReport } from './host-report.js';

/** A host whose last probes are older than this number of intervals is left out no longer. */
const FRESH_INTERVALS = 3;

/** Compiles hosts, has them probed, and stores what was found. */
@Injectable()
export class HostRounds {
  constructor(
    private readonly database: DataSource,
    private readonly hosts: HostService,
    private readonly health: HostHealthRepository,
    private readonly catalogue: InboundCatalogue,
    private readonly settings: SettingsService,
    private readonly prober: HostProber,
  ) {}

  /** All hosts as clients get them; `more` are taken in place of those with the same id, and enabled. */
  async compile(more: readonly Host[] = []): Promise<CompiledHosts> {
    const own = new Set(more.map(({ id }) => id));
    const stored = await this.hosts.validHosts(this.database.manager);
    const all = [...stored.filter(({ id }) => !own.has(id)), ...more.map((host) => ({ ...host, isDisabled: false }))];
    return compileHosts(all, await this.catalogue.inbounds());
  }

  /** Names what clients get of a host. */
  async digestOf(hosts: CompiledHosts, host: CompiledHost): Promise<string> {
    const { probes } = await this.prober.probesOf(hosts, host, NO_CREDENTIALS);
    const text = probes.map(({ outbounds }) => outbounds).join('\n');
    return createHash('sha256').update(text).digest('base64url');
  }

  /** Probes stored hosts and stores the results. */
  async run(
    hosts: CompiledHosts,
    ofHosts: readonly CompiledHost[],
    options: ProbeOptions,
  ): Promise<Map<number, HostReport>> {
    const reports = await this.prober.probe(hosts, ofHosts, options);
    const checkedAt = new Date();
    for (const host of ofHosts) {
      const report = reports.get(host.id);
      if (report) await this.record(host.id, checkedAt, await this.digestOf(hosts, host), report);
    }
    await this.updateLeftOut();
    return reports;
  }

  /** Decides which hosts subscriptions leave out, and has them compiled again where that has changed. */
  async updateLeftOut(): Promise<void> {
    const { every_minutes, hide_after } = await this.settings.probes();
    await this.database.transaction(async (manager) => {
      const withinSeconds = every_minutes * 60 * FRESH_INTERVALS;
      const changed = await this.health.updateLeftOut(manager, { failures: hide_after, withinSeconds });
      if (changed > 0) await raiseConfigVersion(manager);
    });
  }

  private async record(hostId: number, checkedAt: Date, digest: string, report: HostReport): Promise<void> {
    const { status, message, results } = report;
    await this.database.transaction((manager) =>
      this.health.recordRound(manager, { hostId, checkedAt, digest, status, message, results }),
    );
  }
}
