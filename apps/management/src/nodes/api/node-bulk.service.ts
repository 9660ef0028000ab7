import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { rolledBack } from '../../database/rolled-back.js';
import { type NamedNode, NodeRepository } from '../store/node.repository.js';
import { announceNodeChange, sendNodeCommand } from '../store/node-channel.js';
import { NodeTotalsRepository } from '../store/node-totals.repository.js';
import type { NodeSelection, NodesView, ReconnectQuery, ReconnectView } from './node-query.dto.js';

/** Changes of several nodes, each in one transaction. */
@Injectable()
export class NodeBulkService {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly totals: NodeTotalsRepository,
  ) {}

  deleteNodes(selection: NodeSelection): Promise<NodesView> {
    return this.change('delete', selection, async (manager, ids) => {
      const nodes = await this.nodes.lockNodes(manager, ids);
      await this.totals.keepTotals(manager, idsOf(nodes));
      await this.nodes.deleteNodes(manager, idsOf(nodes));
      await announceNodeChange(manager);
      return nodes;
    });
  }

  disableNodes(selection: NodeSelection): Promise<NodesView> {
    return this.change('disable', selection, (manager, ids) => this.switchNodes(manager, ids, 'disabled'));
  }

  enableNodes(selection: NodeSelection): Promise<NodesView> {
    return this.change('enable', selection, async (manager, ids) => {
      const nodes = await this.switchNodes(manager, ids, 'connecting');
      await sendNodeCommand(manager, idsOf(nodes), 'reconnect');
      return nodes;
    });
  }

  reconnectNodes(selection: NodeSelection): Promise<NodesView> {
    return this.change('reconnect', selection, async (manager, ids) => {
      const nodes = await this.nodes.lockNodes(manager, ids, true);
      await sendNodeCommand(manager, idsOf(nodes), 'reconnect');
      return nodes;
    });
  }

  /** Reconnects all enabled nodes, or those of one core. */
  async reconnectAll({ dry_run, ...query }: ReconnectQuery): Promise<ReconnectView> {
    if (dry_run) {
      const nodes = await this.nodes.findEnabledNames(this.database.manager, query.core_id);
      return { dry_run, affected_nodes: nodes.length };
    }
    await this.database.transaction(async (manager) => {
      const nodes = await this.nodes.findEnabledNames(manager, query.core_id);
      await sendNodeCommand(manager, idsOf(nodes), 'reconnect');
      const after = { ...query, affected_nodes: nodes.length };
      await recordAudit(manager, { action: 'node.bulk_reconnect', target: 'nodes', after });
    });
    return {};
  }

  /** @param work returns the nodes that it has changed */
  private change(
    verb: 'delete' | 'disable' | 'enable' | 'reconnect',
    { ids, dry_run }: NodeSelection,
    work: (manager: EntityManager, ids: readonly number[]) => Promise<NamedNode[]>,
  ): Promise<NodesView> {
    const run = async (manager: EntityManager): Promise<NodesView> => {
      const nodes = await work(manager, ids);
      const after = { ids, affected_nodes: nodes.length };
      await recordAudit(manager, { action: `node.bulk_${verb}`, target: 'nodes', after });
      return { nodes: nodes.map(({ name }) => name), count: nodes.length };
    };
    return dry_run ? rolledBack(this.database, run) : this.database.transaction(run);
  }

  /** Enables those that are disabled, or disables those that are enabled. */
  private async switchNodes(
    manager: EntityManager,
    ids: readonly number[],
    status: 'disabled' | 'connecting',
  ): Promise<NamedNode[]> {
    const nodes = await this.nodes.lockNodes(manager, ids, status === 'disabled');
    await this.nodes.setStatus(manager, idsOf(nodes), status);
    await announceNodeChange(manager);
    return nodes;
  }
}

const idsOf = (nodes: readonly NamedNode[]): number[] => nodes.map(({ id }) => id);
