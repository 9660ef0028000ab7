import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Core } from '../../core-store/core.entity.js';
import type { CoreSource } from '../../core-store/core-reader.js';
import { AtRestCipher } from '../../keys/at-rest-cipher.js';
import type { SealedSecret, SealedSecrets } from '../../keys/sealed-secret.js';
import { Node } from './node.entity.js';

/** Like everybody who changes several nodes, these statements lock them in the order of their ids. */
const LOCK_NODES = 'SELECT id FROM nodes WHERE core_config_id = $1 ORDER BY id FOR NO KEY UPDATE';

/** A configuration that does not open, which is a damaged one for its node. */
const UNOPENED: CoreSource = {
  config: undefined,
  excludeInboundTags: [],
  fallbacksInboundTags: [],
  privateNetworks: [],
};

interface Pinned {
  /** The configuration that the node keeps until it is restarted; null: it is started with its core as it is. */
  pinnedCore: CoreSource | null;
}

/** What a node is started with: its own columns, and the core that it is pinned to, if any. */
export type StartColumns = Pick<Node, 'id' | 'keepAlive' | 'coreConfigId'> & Pinned;

/** A node, and the configuration that it keeps running until it is restarted. */
export type CoreNode = Pick<Node, 'id' | 'name' | 'status'> & Pinned;

/** The statements on nodes that concern the core configurations which they run. */
@Injectable()
export class NodeCoreRepository implements SealedSecrets {
  readonly what = 'configurations that nodes keep until they are restarted';

  constructor(private readonly cipher: AtRestCipher) {}

  /** The context with which a pinned configuration is sealed, which binds it to its node. */
  contextOf(nodeId: number): string {
    return `pinned-core:${nodeId}`;
  }

  /**
   * Pins the nodes of a core to its stored configuration. It is called before the core changes or is deleted, so that the
   * nodes keep what they run, over reconnects too, until they are restarted. Of several changes the first one counts. A
   * configuration that does not open starts no node, so nodes are not pinned to it.
   */
  async pinCore(manager: EntityManager, core: Core): Promise<void> {
    const { config, excludeInboundTags, fallbacksInboundTags, privateNetworks } = core;
    const nodes = await manager.query<{ id: number }[]>(LOCK_NODES, [core.id]);
    const pinned = { config, excludeInboundTags, fallbacksInboundTags, privateNetworks };
    const text = config === undefined ? undefined : JSON.stringify(pinned);
    const sealed = nodes.map(({ id }) => (text === undefined ? null : this.cipher.seal(text, this.contextOf(id))));
    await manager.query(
      `UPDATE nodes SET core_pending = true, pinned_core_sealed = coalesce(pinned_core_sealed, pinned.sealed)
       FROM unnest($1::integer[], $2::bytea[]) AS pinned (id, sealed) WHERE nodes.id = pinned.id`,
      [nodes.map(({ id }) => id), sealed],
    );
  }

  /** The nodes of a core, by id. */
  async findNodesOfCore(manager: EntityManager, coreId: number): Promise<CoreNode[]> {
    const nodes = await manager.find(Node, {
      select: { id: true, name: true, status: true, pinnedCoreSealed: true },
      where: { coreConfigId: coreId },
      order: { id: 'ASC' },
    });
    return nodes.map((node) => this.withPinnedCore(node));
  }

  /** The distinct engine versions that the nodes of a core have reported. */
  async findEngineVersions(manager: EntityManager, coreId: number): Promise<string[]> {
    const rows = await manager.query<{ version: string }[]>(
      'SELECT DISTINCT core_version AS version FROM nodes WHERE core_config_id = $1 AND core_version IS NOT NULL ORDER BY 1',
      [coreId],
    );
    return rows.map(({ version }) => version);
  }

  /** Has one node started again with the configuration that it runs, because the files that this names have changed. */
  async restartNode(manager: EntityManager, nodeId: number, revision: bigint): Promise<void> {
    await manager.query('UPDATE nodes SET start_revision = $2 WHERE id = $1', [nodeId, revision.toString()]);
  }

  /** Unpins the nodes of a core and has them started with its present configuration. The revision wakes their workers. */
  async restartNodesOfCore(manager: EntityManager, coreId: number, revision: bigint): Promise<void> {
    await manager.query(
      `WITH locked AS (${LOCK_NODES})
       UPDATE nodes SET pinned_core_sealed = NULL, start_revision = $2 FROM locked WHERE nodes.id = locked.id`,
      [coreId, revision.toString()],
    );
  }

  async findStartColumns(manager: EntityManager, nodeId: number): Promise<StartColumns> {
    const node = await manager.findOneOrFail(Node, {
      select: { id: true, keepAlive: true, coreConfigId: true, pinnedCoreSealed: true },
      where: { id: nodeId },
    });
    return this.withPinnedCore(node);
  }

  lockSealed(manager: EntityManager): Promise<SealedSecret[]> {
    return manager.query(
      `SELECT id, pinned_core_sealed AS sealed FROM nodes WHERE pinned_core_sealed IS NOT NULL
       ORDER BY id FOR NO KEY UPDATE`,
    );
  }

  async replaceSealed(manager: EntityManager, configs: readonly SealedSecret[]): Promise<void> {
    await manager.query(
      `UPDATE nodes SET pinned_core_sealed = anew.sealed
       FROM unnest($1::integer[], $2::bytea[]) AS anew (id, sealed) WHERE nodes.id = anew.id`,
      [configs.map(({ id }) => id), configs.map(({ sealed }) => sealed)],
    );
  }

  private withPinnedCore(node: Node): Node & Pinned {
    const { id, pinnedCoreSealed: sealed } = node;
    const pinned = sealed && (this.cipher.openJson(sealed, this.contextOf(id)) as CoreSource | undefined);
    return Object.assign(node, { pinnedCore: pinned === undefined ? UNOPENED : pinned });
  }
}
