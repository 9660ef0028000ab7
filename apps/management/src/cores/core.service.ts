import { Injectable } from '@nestjs/common';
import { type CoreConfig, CoreConfigError } from '@rampart/core-config';
import { DataSource } from 'typeorm';
import { raiseCatalogueVersion } from '../database/catalogue-version.js';
import { ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { type CheckedCoreView, CoreCreate, type CoreListView, type CoreView } from './core.dto.js';
import { Core } from './core.entity.js';
import { CoreReader, type CoreSource } from './core-reader.js';
import { InboundCatalogue } from './inbound-catalogue.js';

@Injectable()
export class CoreService {
  constructor(
    private readonly database: DataSource,
    private readonly reader: CoreReader,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create({ name, config, ...tags }: CoreCreate): Promise<CheckedCoreView> {
    const source = {
      config,
      excludeInboundTags: tags.exclude_inbound_tags ?? [],
      fallbacksInboundTags: tags.fallbacks_inbound_tags ?? [],
    };
    const checked = this.check(source);
    const core = await this.database.transaction(async (manager) => {
      await raiseCatalogueVersion(manager);
      return manager.save(manager.create(Core, { name, ...source, config: checked.config }));
    });
    return { ...view(core), warnings: checked.warnings };
  }

  async get(id: number): Promise<CoreView> {
    const core = await this.database.manager.findOneBy(Core, { id });
    if (!core) throw new ManagementError('CORE_NOT_FOUND');
    return view(core);
  }

  async list(page: Page): Promise<CoreListView> {
    const [cores, count] = await this.database.manager.findAndCount(Core, { order: { id: 'ASC' }, ...windowOf(page) });
    return { count, cores: cores.map(view) };
  }

  async inboundTags(): Promise<string[]> {
    return [...(await this.catalogue.inbounds()).keys()];
  }

  private check(source: CoreSource): CoreConfig {
    try {
      return this.reader.read(source);
    } catch (error) {
      if (error instanceof CoreConfigError) throw new ManagementError('CORE_REFUSED', error.message);
      throw error;
    }
  }
}

const view = (core: Core): CoreView => ({
  name: core.name,
  config: core.config,
  exclude_inbound_tags: core.excludeInboundTags,
  fallbacks_inbound_tags: core.fallbacksInboundTags,
  id: core.id,
  created_at: core.createdAt.toISOString(),
});
