import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  type CoreConfig,
  CoreConfigError,
  handoversOf,
  isJsonObject,
  nodeTag,
  type ReplacedConfig,
  readConfig,
  restartReason,
  UnreadableCoreConfigError,
} from '@rampart/core-config';
import { DataSource, type EntityManager } from 'typeorm';
import type { Core } from '../core-store/core.entity.js';
import { CoreRepository } from '../core-store/core.repository.js';
import { CoreReader, type CoreSource } from '../core-store/core-reader.js';
import { asDatabase } from '../database/database.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { NodeCoreRepository } from '../nodes/store/node-core.repository.js';
import type { CoreCreate } from './core.dto.js';
import type { CoreCheckQuery, CoreCheckView, CoreDifference } from './core-check.dto.js';
import { CoreImpactRepository } from './core-impact.repository.js';
import { sourceOf, startedWith, warningsOf } from './core-source.js';
import { OrphanRepository } from './orphan.repository.js';
import { orphanWarnings } from './orphan-warnings.js';

/** Checks a core like a save, and tells what the save would change. Nothing is written. */
@Injectable()
export class CoreCheckService {
  constructor(
    private readonly database: DataSource,
    private readonly cores: CoreRepository,
    private readonly nodes: NodeCoreRepository,
    private readonly impact: CoreImpactRepository,
    private readonly orphans: OrphanRepository,
    private readonly reader: CoreReader,
  ) {}

  /** All queries see the same moment. */
  check(request: CoreCreate, { id }: CoreCheckQuery): Promise<CoreCheckView> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const stored = id === undefined ? null : await this.cores.findCore(manager, id);
      if (id !== undefined && !stored) throw new ManagementError('CORE_NOT_FOUND');
      const source = sourceOf(request);
      const engines = id === undefined ? [] : await this.nodes.findEngineVersions(manager, id);
      let core: CoreConfig;
      try {
        core = this.reader.readCore(source, engines);
      } catch (error) {
        if (error instanceof UnreadableCoreConfigError) throw invalidFields({ config: error.message });
        if (!(error instanceof CoreConfigError)) throw error;
        const { path, message } = error;
        return { errors: [{ path, code: 'CORE_REFUSED', message }], warnings: [], difference: null };
      }
      if (!stored) return { errors: [], warnings: warningsOf(core, source), difference: null };
      const difference = await this.differenceTo(manager, stored, { ...source, config: core.config }, core);
      const gone = await this.goneTags(manager, stored, difference.removed);
      const warnings = [...warningsOf(core, source), ...orphanWarnings(await this.orphans.findUsers(manager, gone))];
      return { errors: [], warnings, difference };
    });
  }

  private async differenceTo(
    manager: EntityManager,
    stored: Core,
    source: CoreSource,
    core: CoreConfig,
  ): Promise<CoreDifference> {
    const [before, after] = [offered(this.readStored(stored)), offered(core)];
    const changed = [...after.keys()].filter(
      (tag) => before.has(tag) && !isDeepStrictEqual(before.get(tag), after.get(tag)),
    );
    const removed = [...before.keys()].filter((tag) => !after.has(tag));
    const next = this.replaced(source);
    const reasonFrom = (from: CoreSource): string | null => {
      const running = startedWith(from) === startedWith(source) ? undefined : this.replaced(from);
      return (running && next && restartReason(running, next)) ?? null;
    };
    const storedReason = reasonFrom(stored);
    const nodes = await this.nodes.findNodesOfCore(manager, stored.id);
    return {
      added: [...after.keys()].filter((tag) => !before.has(tag)),
      changed,
      removed,
      ...(await this.impact.findTouched(manager, [...changed, ...removed])),
      needs_restart: startedWith(stored) !== startedWith(source),
      // A node keeps the configuration that it is pinned to until it is restarted.
      nodes: nodes.map(({ id, name, status, pinnedCore }) => {
        return { id, name, status, cut_reason: pinnedCore ? reasonFrom(pinnedCore) : storedReason };
      }),
    };
  }

  /** A stored configuration that is damaged runs nowhere. */
  private replaced(source: CoreSource): ReplacedConfig | undefined {
    try {
      const read = readConfig(this.reader.readEngineConfig(source).config);
      return { tree: read.tree, handovers: handoversOf(read) };
    } catch (error) {
      if (error instanceof CoreConfigError) return undefined;
      throw error;
    }
  }

  private readStored(stored: Core): CoreConfig | undefined {
    try {
      return this.reader.readStoredCore(stored);
    } catch (error) {
      if (error instanceof CoreConfigError) return undefined;
      throw error;
    }
  }

  /** The removed tags that no other core offers. */
  private async goneTags(manager: EntityManager, stored: Core, removed: readonly string[]): Promise<string[]> {
    if (removed.length === 0) return [];
    const others = new Set<string>();
    for (const other of await this.cores.findCores(manager)) {
      if (other.id !== stored.id) for (const { tag } of this.readStored(other)?.inbounds ?? []) others.add(tag);
    }
    return removed.filter((tag) => !others.has(tag));
  }
}

/** What clients and nodes know of each offered inbound, by its tag. */
function offered(core: CoreConfig | undefined): ReadonlyMap<string, unknown> {
  const list: unknown = core?.tree['inbounds'];
  const trees = new Map((Array.isArray(list) ? list.filter(isJsonObject) : []).map((tree) => [tree['tag'], tree]));
  return new Map(core?.inbounds.map((inbound) => [inbound.tag, [inbound, trees.get(nodeTag(inbound.tag))]]));
}
