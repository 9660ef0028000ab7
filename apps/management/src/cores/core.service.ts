import { Injectable } from '@nestjs/common';
import { CoreConfigError, UnreadableCoreConfigError } from '@rampart/core-config';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { Core } from '../core-store/core.entity.js';
import { type CoreColumns, CoreRepository } from '../core-store/core.repository.js';
import { CoreReader } from '../core-store/core-reader.js';
import { DEFAULT_CORE_ID } from '../core-store/default-core.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { nextRevision } from '../database/revision.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { checkVersion } from '../http/version.js';
import { NodeCoreRepository } from '../nodes/store/node-core.repository.js';
import { type CheckedCoreView, CoreChangeQuery, CoreCreate, type CoreListView } from './core.dto.js';
import { coreView } from './core.view.js';
import { sourceOf, startedWith, warningsOf } from './core-source.js';
import { OrphanRepository } from './orphan.repository.js';
import { orphanWarnings } from './orphan-warnings.js';
import { refusalWarning } from './refusal-warning.js';

@Injectable()
export class CoreService {
  constructor(
    private readonly database: DataSource,
    private readonly cores: CoreRepository,
    private readonly nodes: NodeCoreRepository,
    private readonly orphans: OrphanRepository,
    private readonly reader: CoreReader,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create(request: CoreCreate): Promise<CheckedCoreView> {
    const { columns, warnings } = this.check(request);
    const core = await this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const created = coreView(await this.cores.insertCore(manager, columns));
      await recordAudit(manager, { action: 'core.create', target: `core/${created.id}`, after: created });
      return created;
    });
    return { ...core, warnings };
  }

  /** The warnings depend on the engine versions of the nodes and on certificate files, so they are computed anew. */
  async get(id: number): Promise<CheckedCoreView> {
    const { manager } = this.database;
    const core = await this.findCore(manager, id);
    const engines = await this.nodes.findEngineVersions(manager, id);
    try {
      const read = this.reader.readStoredCore(core, engines);
      return { ...coreView(core), warnings: [...read.refused.map(refusalWarning), ...warningsOf(read, core)] };
    } catch (error) {
      if (error instanceof CoreConfigError) return { ...coreView(core), warnings: [refusalWarning(error)] };
      throw error;
    }
  }

  async list(page: Page): Promise<CoreListView> {
    const [cores, count] = await this.cores.listCores(this.database.manager, windowOf(page));
    return { count, cores: cores.map(coreView) };
  }

  /** Replaces the whole core: what the request leaves out gets its default. */
  async modify(id: number, request: CoreCreate, { restart_nodes }: CoreChangeQuery): Promise<CheckedCoreView> {
    const engines = await this.nodes.findEngineVersions(this.database.manager, id);
    const { columns, warnings } = this.check(request, engines);
    return this.database.transaction(async (manager) => {
      const revision = restart_nodes && (await nextRevision(manager));
      await raiseConfigVersion(manager);
      const core = await this.findCore(manager, id);
      checkVersion(coreView(core));
      const before = await this.catalogue.readInbounds(manager);
      if (startedWith(core) !== startedWith(columns)) await this.nodes.pinCore(manager, core);
      if (revision) await this.nodes.restartNodesOfCore(manager, id, revision);
      await this.cores.replaceCore(manager, id, columns);
      const now = await this.catalogue.readInbounds(manager);
      const removedTags = [...before.keys()].filter((tag) => !now.has(tag));
      const orphans = orphanWarnings(await this.orphans.findUsers(manager, removedTags));
      const changed = coreView({ ...core, ...columns });
      await recordAudit(manager, {
        action: 'core.modify',
        target: `core/${id}`,
        before: coreView(core),
        after: { ...changed, ...(restart_nodes && { restart_nodes }) },
      });
      return { ...changed, warnings: [...warnings, ...orphans] };
    });
  }

  /** The nodes of the core keep running its configuration until they get another core. */
  async delete(id: number): Promise<void> {
    if (id === DEFAULT_CORE_ID) throw new ManagementError('CORE_IS_DEFAULT');
    await this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const core = await this.findCore(manager, id);
      checkVersion(coreView(core));
      await this.nodes.pinCore(manager, core);
      await this.cores.deleteCore(manager, id);
      await recordAudit(manager, { action: 'core.delete', target: `core/${id}`, before: coreView(core) });
    });
  }

  /** Certificate files are read again too, for the nodes of the core and for subscriptions. */
  async restart(id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await raiseConfigVersion(manager);
      await this.findCore(manager, id);
      await this.nodes.restartNodesOfCore(manager, id, revision);
      await recordAudit(manager, { action: 'core.restart', target: `core/${id}` });
    });
  }

  async inboundTags(): Promise<string[]> {
    return [...(await this.catalogue.inbounds()).keys()];
  }

  private async findCore(manager: EntityManager, id: number): Promise<Core> {
    const core = await this.cores.findCore(manager, id);
    if (!core) throw new ManagementError('CORE_NOT_FOUND');
    return core;
  }

  /** @param engineVersions of the nodes of the core, to which some warnings refer */
  private check(
    request: CoreCreate,
    engineVersions: readonly string[] = [],
  ): { columns: CoreColumns; warnings: CheckedCoreView['warnings'] } {
    const source = sourceOf(request);
    try {
      const core = this.reader.readCore(source, engineVersions);
      return { columns: { ...source, name: request.name, config: core.config }, warnings: warningsOf(core, source) };
    } catch (error) {
      if (error instanceof UnreadableCoreConfigError) throw invalidFields({ config: error.message });
      if (error instanceof CoreConfigError) throw new ManagementError('CORE_REFUSED', error.message);
      throw error;
    }
  }
}
