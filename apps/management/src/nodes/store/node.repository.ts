import { Injectable } from '@nestjs/common';
import { type EntityManager, Not } from 'typeorm';
import { ManagementError } from '../../errors/management-error.js';
import { Node, type NodeStatus } from './node.entity.js';

/** The columns of a node that requests write. */
export type NodeColumns = Partial<Omit<Node, 'id' | 'core' | 'authority' | 'pinnedCoreSealed' | 'createdAt'>> & {
  /** The pinned core can only be removed: pinning is done by NodeCoreRepository. */
  pinnedCoreSealed?: null;
};

export interface NamedNode {
  id: number;
  name: string;
}

/** Absent members do not restrict the list. */
export interface NodeFilter {
  coreId?: number | undefined;
  ids?: readonly number[] | undefined;
  /** The node has any of these states. */
  status?: readonly NodeStatus[] | undefined;
  enabled?: boolean | undefined;
  /** A part of the name or the address, in any case. */
  search?: string | undefined;
}

/**
 * The statements with which the API reads and writes the table of nodes, each in the transaction of the caller. Several
 * nodes are locked in the order of their ids, so that two transactions cannot deadlock.
 */
@Injectable()
export class NodeRepository {
  /** @throws ManagementError when there is no such node */
  async findNode(manager: EntityManager, id: number): Promise<Node> {
    const node = await manager.findOneBy(Node, { id });
    if (!node) throw new ManagementError('NODE_NOT_FOUND');
    return node;
  }

  /** Nobody else changes the node before the transaction ends. @throws ManagementError when there is no such node */
  async lockNode(manager: EntityManager, id: number): Promise<Node> {
    const node = await manager.findOne(Node, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!node) throw new ManagementError('NODE_NOT_FOUND');
    return node;
  }

  /** All nodes that are not disabled, in the order of their ids. */
  findEnabledNodes(manager: EntityManager): Promise<Node[]> {
    return manager.find(Node, { where: { status: Not('disabled') }, order: { id: 'ASC' } });
  }

  /** The enabled nodes of one core, or of all cores where `coreId` is undefined, in the order of their ids. */
  findEnabledNames(manager: EntityManager, coreId: number | undefined): Promise<NamedNode[]> {
    return manager.query(
      `SELECT id, name FROM nodes WHERE status <> 'disabled' AND ($1::integer IS NULL OR core_config_id = $1) ORDER BY id`,
      [coreId],
    );
  }

  /** The nodes of a window in the order of their ids. */
  listNodes(
    manager: EntityManager,
    { coreId, ids, status, enabled, search }: NodeFilter,
    { skip, take }: { skip?: number | undefined; take?: number | undefined },
  ): Promise<Node[]> {
    const query = manager.createQueryBuilder(Node, 'node').orderBy('node.id').skip(skip).take(take);
    if (coreId !== undefined) query.andWhere('node.coreConfigId = :coreId', { coreId });
    if (ids) query.andWhere('node.id = ANY (:ids)', { ids });
    if (status) query.andWhere('node.status = ANY (:status)', { status });
    if (enabled !== undefined) query.andWhere("(node.status <> 'disabled') = :enabled", { enabled });
    if (search) {
      query.andWhere('strpos(lower(node.name || chr(10) || node.address), lower(:search)) > 0', { search });
    }
    return query.getMany();
  }

  existsNodeNamed(manager: EntityManager, name: string): Promise<boolean> {
    return manager.existsBy(Node, { name });
  }

  /** The id must be known before the row exists, because the sealed API key is bound to it. */
  async nextNodeId(manager: EntityManager): Promise<number> {
    const [row] = await manager.query<{ id: number }[]>(
      `SELECT nextval(pg_get_serial_sequence('nodes', 'id'))::integer AS id`,
    );
    if (!row) throw new Error('the sequence of nodes.id is missing');
    return row.id;
  }

  async insertNode(manager: EntityManager, columns: NodeColumns & { id: number }): Promise<void> {
    await manager.insert(Node, columns);
  }

  async updateNode(manager: EntityManager, id: number, columns: NodeColumns): Promise<void> {
    await manager.update(Node, { id }, columns);
  }

  async deleteNodes(manager: EntityManager, ids: readonly number[]): Promise<void> {
    await manager.query('DELETE FROM nodes WHERE id = ANY ($1)', [ids]);
  }

  /** Locks those of the nodes that are enabled (true), disabled (false) or either (undefined), and returns them. */
  lockNodes(manager: EntityManager, ids: readonly number[], enabled?: boolean): Promise<NamedNode[]> {
    const condition = enabled === undefined ? 'true' : `(status <> 'disabled') = ${enabled}`;
    return manager.query(`SELECT id, name FROM nodes WHERE id = ANY ($1) AND ${condition} ORDER BY id FOR UPDATE`, [
      ids,
    ]);
  }

  /** The message of the previous state is removed. */
  async setStatus(manager: EntityManager, ids: readonly number[], status: NodeStatus): Promise<void> {
    await manager.query('UPDATE nodes SET status = $2, message = NULL, message_code = NULL WHERE id = ANY ($1)', [
      ids,
      status,
    ]);
    await this.keepLineTime(manager, ids, status);
  }

  /**
   * For nodes that are being enabled or disabled: their line carries nothing while they are disabled. What they have counted up
   * to then, and could not hand over, still counts when they are enabled.
   */
  async keepLineTime(manager: EntityManager, ids: readonly number[], status: NodeStatus): Promise<void> {
    await manager.query(
      `UPDATE nodes SET traffic_settled_at = now(), traffic_allowance = traffic_allowance
         + CASE WHEN $2 THEN greatest(0, extract(epoch FROM now() - traffic_settled_at)) ELSE 0 END
       WHERE id = ANY ($1)`,
      [ids, status === 'disabled'],
    );
  }
}
