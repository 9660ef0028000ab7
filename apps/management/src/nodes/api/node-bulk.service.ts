import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { announceNodeChange } from '../store/node-channel.js';
import { sendNodeCommand } from '../store/node-command.js';
import { keepTotals } from '../store/node-totals.js';
import type { NodeSelection, NodesView, ReconnectQuery } from './node-query.dto.js';

interface Named {
  id: number;
  name: string;
}

/** Changes of several nodes, each by one statement. Locks are taken in the order of ids. */
@Injectable()
export class NodeBulkService {
  constructor(private readonly database: DataSource) {}

  delete(selection: NodeSelection): Promise<NodesView> {
    return this.change('delete', selection, async (manager, ids) => {
      const nodes = await lock(manager, 'true', ids);
      await keepTotals(manager, idsOf(nodes));
      await manager.query('DELETE FROM nodes WHERE id = ANY ($1)', [idsOf(nodes)]);
      await announceNodeChange(manager);
      return nodes;
    });
  }

  disable(selection: NodeSelection): Promise<NodesView> {
    return this.change('disable', selection, (manager, ids) => this.move(manager, ids, 'disabled'));
  }

  enable(selection: NodeSelection): Promise<NodesView> {
    return this.change('enable', selection, async (manager, ids) => {
      const nodes = await this.move(manager, ids, 'connecting');
      await sendNodeCommand(manager, idsOf(nodes), 'reconnect');
      return nodes;
    });
  }

  reconnect(selection: NodeSelection): Promise<NodesView> {
    return this.change('reconnect', selection, async (manager, ids) => {
      const nodes = await lock(manager, "status <> 'disabled'", ids);
      await sendNodeCommand(manager, idsOf(nodes), 'reconnect');
      return nodes;
    });
  }

  /** All that are enabled, or those of one core. */
  async reconnectAll(query: ReconnectQuery): Promise<object> {
    await this.database.transaction(async (manager) => {
      const nodes = await manager.query<Named[]>(
        `SELECT id, name FROM nodes WHERE status <> 'disabled' AND ($1::integer IS NULL OR core_config_id = $1) ORDER BY id`,
        [query.core_id],
      );
      await sendNodeCommand(manager, idsOf(nodes), 'reconnect');
      const after = { ...query, affected_nodes: nodes.length };
      await recordAudit(manager, { action: 'node.bulk_reconnect', target: 'nodes', after });
    });
    return {};
  }

  private change(
    verb: 'delete' | 'disable' | 'enable' | 'reconnect',
    { ids }: NodeSelection,
    work: (manager: EntityManager, ids: readonly number[]) => Promise<Named[]>,
  ): Promise<NodesView> {
    return this.database.transaction(async (manager) => {
      const nodes = await work(manager, ids);
      const after = { ids, affected_nodes: nodes.length };
      await recordAudit(manager, { action: `node.bulk_${verb}`, target: 'nodes', after });
      return { nodes: nodes.map(({ name }) => name), count: nodes.length };
    });
  }

  private async move(
    manager: EntityManager,
    ids: readonly number[],
    status: 'disabled' | 'connecting',
  ): Promise<Named[]> {
    const nodes = await lock(manager, `(status = 'disabled') = ${status !== 'disabled'}`, ids);
    await manager.query('UPDATE nodes SET status = $2, message = NULL WHERE id = ANY ($1)', [idsOf(nodes), status]);
    await announceNodeChange(manager);
    return nodes;
  }
}

const lock = (manager: EntityManager, condition: string, ids: readonly number[]): Promise<Named[]> =>
  manager.query(`SELECT id, name FROM nodes WHERE id = ANY ($1) AND ${condition} ORDER BY id FOR UPDATE`, [ids]);

const idsOf = (nodes: readonly Named[]): number[] => nodes.map(({ id }) => id);
