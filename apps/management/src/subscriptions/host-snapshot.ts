import { Injectable, Logger } from '@nestjs/common';
import { type Format, parseFormat } from '@rampart/domain';
import { compileHosts, type SubscriptionSnapshot, TemplateCache } from '@rampart/subscription';
import { DataSource, type EntityManager } from 'typeorm';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { CompiledConfig } from '../database/config-version.js';
import { GroupRepository } from '../groups/group.repository.js';
import { HostService } from '../hosts/host.service.js';
import { hidesFailing, type ProbeSettings } from '../settings/probe-settings.dto.js';
import { readProbeSettings, readSettings } from '../settings/stored-settings.js';
import type { SubscriptionSettings } from '../settings/subscription-settings.dto.js';

/** Everything that subscriptions are made of, except their users. */
export interface Snapshot extends SubscriptionSnapshot {
  /** The inbound tags of each enabled group, by the id of the group. */
  readonly grants: ReadonlyMap<number, ReadonlySet<string>>;
  readonly settings: SubscriptionSettings;
  readonly probes: ProbeSettings;
  /** The title of subscriptions whose admin has not set one. */
  readonly title: Format;
}

/** Builds the snapshot once for each change of cores, groups, hosts or settings. */
@Injectable()
export class HostSnapshot {
  private readonly logger = new Logger('Hosts');
  private readonly compiled: CompiledConfig<Snapshot>;

  constructor(
    database: DataSource,
    private readonly hosts: HostService,
    private readonly groups: GroupRepository,
    private readonly catalogue: InboundCatalogue,
  ) {
    this.compiled = new CompiledConfig(database, (manager, version) => this.build(manager, version));
  }

  atLeast(version: bigint): Promise<Snapshot> {
    return this.compiled.atLeast(version);
  }

  private async build(manager: EntityManager, version: bigint): Promise<Snapshot> {
    const probes = await readProbeSettings(manager);
    const shown = await this.hosts.shownHosts(manager, { hideFailing: hidesFailing(probes) });
    const hosts = compileHosts(shown, await this.catalogue.inboundsAt(version));
    for (const { hostId, message } of hosts.problems)
      this.logger.warn(`host ${hostId} is left out of subscriptions: ${message}`);
    const { subscription: settings } = await readSettings(manager);
    const title = parseFormat(settings.profile_title);
    return {
      hosts,
      templates: new TemplateCache(),
      grants: await this.groups.tagsByEnabledGroup(manager),
      settings,
      probes,
      title,
    };
  }
}
