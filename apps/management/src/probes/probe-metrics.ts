import { Injectable } from '@nestjs/common';
import { ProgramMetrics } from '@rampart/program';
import { DataSource } from 'typeorm';
import { HostHealthRepository } from '../hosts/host-health.repository.js';

/** What probes have found about hosts. Every replica tells the same: it is read from the database. */
@Injectable()
export class ProbeMetrics {
  private readonly works = this.metrics.gauge({
    name: 'rampart_host_works',
    help: 'What the last round of probes has found about the host: 1 every probe passed, 0.5 some did, 0 none did.',
    labelNames: ['host'],
  });
  private readonly failedRounds = this.metrics.gauge({
    name: 'rampart_host_failed_rounds',
    help: 'Rounds of probes without one that passed, one after another.',
    labelNames: ['host'],
  });
  private readonly checked = this.metrics.gauge({
    name: 'rampart_host_probe_time_seconds',
    help: 'Unix time of the last round of probes of the host.',
    labelNames: ['host'],
  });

  constructor(
    private readonly metrics: ProgramMetrics,
    private readonly database: DataSource,
    private readonly health: HostHealthRepository,
  ) {
    metrics.readAtScrape('hosts', [this.works, this.failedRounds, this.checked], () => this.readHosts());
  }

  private async readHosts(): Promise<void> {
    for (const { hostId, status, failedRounds, checkedAt } of await this.health.findHealth(this.database.manager)) {
      if (status === 'unknown') continue;
      const host = { host: String(hostId) };
      this.works.set(host, { works: 1, partly: 0.5, fails: 0 }[status]);
      this.failedRounds.set(host, failedRounds);
      this.checked.set(host, checkedAt.getTime() / 1000);
    }
  }
}
