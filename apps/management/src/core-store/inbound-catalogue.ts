import { Injectable, Logger } from '@nestjs/common';
import { CoreConfigError, type OfferedInbound } from '@rampart/core-config';
import { DataSource, type EntityManager } from 'typeorm';
import { CompiledConfig, readConfigVersion } from '../database/config-version.js';
import type { Core } from './core.entity.js';
import { CoreRepository } from './core.repository.js';
import { CoreReader } from './core-reader.js';

/** The inbounds of all cores by tag. Where two cores have the same tag, the inbound of the later core counts. */
@Injectable()
export class InboundCatalogue {
  private readonly logger = new Logger('Cores');
  private readonly compiled: CompiledConfig<ReadonlyMap<string, OfferedInbound>>;

  constructor(
    private readonly database: DataSource,
    private readonly cores: CoreRepository,
    private readonly reader: CoreReader,
  ) {
    this.compiled = new CompiledConfig(database, (manager) => this.readInbounds(manager));
  }

  async inbounds(): Promise<ReadonlyMap<string, OfferedInbound>> {
    return this.inboundsAt(await readConfigVersion(this.database.manager));
  }

  /** For callers that have read the version of the configuration already. */
  inboundsAt(version: bigint): Promise<ReadonlyMap<string, OfferedInbound>> {
    return this.compiled.atLeast(version);
  }

  /**
   * The inbounds as the transaction sees them. A stored core that would be refused today, because a certificate is missing
   * or a rule is new, only loses its own inbounds.
   */
  async readInbounds(manager: EntityManager, refused = this.warn): Promise<ReadonlyMap<string, OfferedInbound>> {
    const inbounds = new Map<string, OfferedInbound>();
    for (const core of await this.cores.findCores(manager)) {
      try {
        const read = this.reader.readStoredCore(core);
        for (const inbound of read.inbounds) inbounds.set(inbound.tag, inbound);
        for (const { tag, message } of read.refused) refused(core, `goes without inbound ${tag}: ${message}`);
      } catch (error) {
        if (!(error instanceof CoreConfigError)) throw error;
        refused(core, `is left out: ${error.message}`);
      }
    }
    return inbounds;
  }

  private readonly warn = ({ id, name }: Core, problem: string): void =>
    this.logger.warn(`core ${id} (${name}) ${problem}`);
}
