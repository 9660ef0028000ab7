import { Injectable, Logger } from '@nestjs/common';
import { type CompiledHosts, compileHosts } from '@rampart/subscription';
import { DataSource, type EntityManager } from 'typeorm';
import { InboundCatalogue } from '../cores/inbound-catalogue.js';
import { CompiledCatalogue } from '../database/catalogue-version.js';
import { HostService } from '../hosts/host.service.js';

/** All hosts merged over their inbounds, immutable, made once per change of either. */
@Injectable()
export class HostSnapshot {
  private readonly logger = new Logger('Hosts');
  private readonly compiled: CompiledCatalogue<CompiledHosts>;

  constructor(
    database: DataSource,
    private readonly hosts: HostService,
    private readonly catalogue: InboundCatalogue,
  ) {
    this.compiled = new CompiledCatalogue(database, (manager, version) => this.build(manager, version));
  }

  atLeast(version: bigint): Promise<CompiledHosts> {
    return this.compiled.atLeast(version);
  }

  private async build(manager: EntityManager, version: bigint): Promise<CompiledHosts> {
    const compiled = compileHosts(await this.hosts.rows(manager), await this.catalogue.inboundsAt(version));
    for (const { hostId, message } of compiled.problems) this.logger.warn(`host ${hostId} is left out: ${message}`);
    return compiled;
  }
}
