import { Injectable } from '@nestjs/common';
import { type CoreConfig, CoreConfigError, isJsonObject, UnreadableCoreConfigError } from '@rampart/core-config';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { Core } from '../core-store/core.entity.js';
import { CoreReader } from '../core-store/core-reader.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { nextRevision } from '../database/revision.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { engineVersionsOf, pinCore, restartNodes } from '../nodes/store/core-change.js';
import { clientWarnings } from './client-warnings.js';
import { type CheckedCoreView, CoreChangeQuery, CoreCreate, type CoreListView, type CoreView } from './core.dto.js';
import { orphanWarnings } from './orphan-warnings.js';
import { refusalWarning } from './refusal-warning.js';

type CoreColumns = Omit<Core, 'id' | 'createdAt'>;

const DEFAULT_CORE_ID = 1;

@Injectable()
export class CoreService {
  constructor(
    private readonly database: DataSource,
    private readonly reader: CoreReader,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create(request: CoreCreate): Promise<CheckedCoreView> {
    const { columns, warnings } = this.check(request);
    const core = await this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const created = view(await manager.save(manager.create(Core, columns)));
      await recordAudit(manager, { action: 'core.create', target: `core/${created.id}`, after: created });
      return created;
    });
    return { ...core, warnings };
  }

  /** Its warnings follow the engines of its nodes, and its certificate files. */
  async get(id: number): Promise<CheckedCoreView> {
    const { manager } = this.database;
    const core = await find(manager, id);
    const engines = await engineVersionsOf(manager, id);
    try {
      const read = this.reader.readStoredCore(core, engines);
      return { ...view(core), warnings: [...read.refused.map(refusalWarning), ...warningsOf(read)] };
    } catch (error) {
      if (error instanceof CoreConfigError) return { ...view(core), warnings: [refusalWarning(error)] };
      throw error;
    }
  }

  async list(page: Page): Promise<CoreListView> {
    const [cores, count] = await this.database.manager.findAndCount(Core, { order: { id: 'ASC' }, ...windowOf(page) });
    return { count, cores: cores.map(view) };
  }

  /** Replaces the core as a whole: what the request leaves out has its default. */
  async modify(id: number, request: CoreCreate, { restart_nodes }: CoreChangeQuery): Promise<CheckedCoreView> {
    const engines = await engineVersionsOf(this.database.manager, id);
    const { columns, warnings } = this.check(request, engines);
    return this.database.transaction(async (manager) => {
      const revision = restart_nodes && (await nextRevision(manager));
      await raiseConfigVersion(manager);
      const core = await find(manager, id);
      const before = await this.catalogue.readInbounds(manager);
      if (runsOtherwise(core, columns)) await pinCore(manager, core);
      if (revision) await restartNodes(manager, id, revision);
      await replace(manager, id, columns);
      const now = await this.catalogue.readInbounds(manager);
      const orphans = await orphanWarnings(
        manager,
        [...before.keys()].filter((tag) => !now.has(tag)),
      );
      const changed = view({ ...core, ...columns });
      await recordAudit(manager, {
        action: 'core.modify',
        target: `core/${id}`,
        before: view(core),
        after: { ...changed, ...(restart_nodes && { restart_nodes }) },
      });
      return { ...changed, warnings: [...warnings, ...orphans] };
    });
  }

  /** Its nodes go on with what they run until they are given another core. */
  async delete(id: number): Promise<void> {
    if (id === DEFAULT_CORE_ID) throw new ManagementError('CORE_IS_DEFAULT');
    await this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const core = await find(manager, id);
      await pinCore(manager, core);
      await manager.delete(Core, { id });
      await recordAudit(manager, { action: 'core.delete', target: `core/${id}`, before: view(core) });
    });
  }

  /** Its certificate files are read anew, for its nodes and for subscriptions. */
  async restart(id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await raiseConfigVersion(manager);
      await find(manager, id);
      await restartNodes(manager, id, revision);
      await recordAudit(manager, { action: 'core.restart', target: `core/${id}` });
    });
  }

  async inboundTags(): Promise<string[]> {
    return [...(await this.catalogue.inbounds()).keys()];
  }

  private check(
    request: CoreCreate,
    engineVersions: readonly string[] = [],
  ): { columns: CoreColumns; warnings: CheckedCoreView['warnings'] } {
    const tags = {
      excludeInboundTags: request.exclude_inbound_tags ?? [],
      fallbacksInboundTags: request.fallbacks_inbound_tags ?? [],
    };
    try {
      const core = this.reader.readCore({ config: request.config, ...tags }, engineVersions);
      return { columns: { name: request.name, config: core.config, ...tags }, warnings: warningsOf(core) };
    } catch (error) {
      if (error instanceof UnreadableCoreConfigError) throw invalidFields({ config: error.message });
      if (error instanceof CoreConfigError) throw new ManagementError('CORE_REFUSED', error.message);
      throw error;
    }
  }
}

const warningsOf = (core: CoreConfig): CheckedCoreView['warnings'] => [...core.warnings, ...clientWarnings(core)];

async function find(manager: EntityManager, id: number): Promise<Core> {
  const core = await manager.findOneBy(Core, { id });
  if (!core) throw new ManagementError('CORE_NOT_FOUND');
  return core;
}

/** By hand: TypeORM takes a configuration with another order of keys for the same. */
async function replace(manager: EntityManager, id: number, columns: CoreColumns): Promise<void> {
  const { name, config, excludeInboundTags, fallbacksInboundTags } = columns;
  await manager.query(
    `UPDATE cores SET name = $2, config = $3, exclude_inbound_tags = $4, fallbacks_inbound_tags = $5 WHERE id = $1`,
    [id, name, JSON.stringify(config), excludeInboundTags, fallbacksInboundTags],
  );
}

/** Whether a node has to be started anew to be in step: a name or an offer of fallbacks is none of its business. */
const runsOtherwise = (before: CoreColumns, now: CoreColumns): boolean => {
  const run = ({ config, excludeInboundTags }: CoreColumns) => JSON.stringify([config, excludeInboundTags]);
  return run(before) !== run(now);
};

const view = (core: Core): CoreView => ({
  name: core.name,
  // What is no object is damaged: nothing of it can be shown, and subscriptions and nodes say so.
  config: isJsonObject(core.config) ? core.config : {},
  exclude_inbound_tags: core.excludeInboundTags,
  fallbacks_inbound_tags: core.fallbacksInboundTags,
  id: core.id,
  created_at: core.createdAt.toISOString(),
});
