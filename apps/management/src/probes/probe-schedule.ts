import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { CompiledHost, CompiledHosts } from '@rampart/subscription';
import { DataSource } from 'typeorm';
import { readConfigVersion } from '../database/config-version.js';
import { ManagementEnv } from '../env/management-env.js';
import type { HostHealth } from '../hosts/host-health.entity.js';
import { HostHealthRepository } from '../hosts/host-health.repository.js';
import { SettingsService } from '../settings/settings.service.js';
import { HostRounds } from './host-rounds.js';
import { ProbeTiming } from './probe-timing.js';
import { ProbeUserService } from './probe-user.service.js';

/** Hosts that are claimed, probed and stored together. */
const BATCH_HOSTS = 8;
const CLAIM_SECONDS = 600;

/**
 * Probes hosts by itself: those of which clients get something else than before, and all of them at an interval, as the
 * settings say. Each host is probed by one replica.
 */
@Injectable()
export class ProbeSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Probes');
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** The version of the configuration whose changes were looked at. */
  private seenVersion = 0n;
  private round = 0;
  private closing = false;

  constructor(
    private readonly database: DataSource,
    private readonly settings: SettingsService,
    private readonly rounds: HostRounds,
    private readonly health: HostHealthRepository,
    private readonly user: ProbeUserService,
    private readonly timing: ProbeTiming,
    private readonly env: ManagementEnv,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.repeat(this.stopping.signal);
  }

  beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    return this.stop();
  }

  /** Stops the periodic runs; only calls of `run` do work from then on. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Probes what is due, and removes the user of probes where it is needed no longer. */
  async run(): Promise<void> {
    await this.user.endIfOver();
    const lookedAt = new Date();
    const { every_minutes, after_change, url } = await this.settings.probes();
    // Without a public URL nobody says that nodes reach this management, so its hosts would only seem to fail.
    const hasUrl = url !== '' || this.env.publicUrl !== undefined;
    const version = await readConfigVersion(this.database.manager);
    const looksForChanges = after_change && hasUrl && version !== this.seenVersion;
    if (every_minutes === 0 && !looksForChanges) return;
    const hosts = await this.rounds.compile();
    const health = new Map((await this.health.findHealth(this.database.manager)).map((row) => [row.hostId, row]));
    const due: CompiledHost[] = [];
    for (const host of hosts.hosts) {
      const known = health.get(host.id);
      const changed = looksForChanges && known?.digest !== (await this.rounds.digestOf(hosts, host));
      if (changed || isOld(known, every_minutes)) due.push(host);
    }
    // What another replica has claimed may remain unprobed if that one ends, so the next look is for it too.
    if (await this.probeInBatches(hosts, due, lookedAt)) this.seenVersion = version;
    if (due.length === 0) await this.rounds.updateLeftOut();
  }

  /** Whether all of them were probed by this replica. */
  private async probeInBatches(hosts: CompiledHosts, due: readonly CompiledHost[], lookedAt: Date): Promise<boolean> {
    if (due.length > 0) this.round += 1;
    let probed = 0;
    for (let start = 0; start < due.length && !this.closing; start += BATCH_HOSTS) {
      const batch = due.slice(start, start + BATCH_HOSTS);
      const ids = batch.map(({ id }) => id);
      const claimed = new Set(
        await this.database.transaction((manager) => this.health.claimHosts(manager, ids, CLAIM_SECONDS, lookedAt)),
      );
      const own = batch.filter(({ id }) => claimed.has(id));
      if (own.length > 0) await this.rounds.run(hosts, own, { turn: this.round });
      probed += own.length;
    }
    return probed === due.length;
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(this.timing.lookMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.run().catch((error: Error) => this.logger.warn(`hosts were not probed: ${error.message}`));
    }
  }
}

function isOld(known: HostHealth | undefined, everyMinutes: number): boolean {
  if (everyMinutes === 0) return false;
  return known === undefined || known.checkedAt.getTime() + everyMinutes * 60_000 <= Date.now();
}
