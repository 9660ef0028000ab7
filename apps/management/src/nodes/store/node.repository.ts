import type { EntityManager } from 'typeorm';
import { ManagementError } from '../../errors/management-error.js';
import { Node } from './node.entity.js';

export async function findNode(manager: EntityManager, id: number): Promise<Node> {
  const node = await manager.findOneBy(Node, { id });
  if (!node) throw new ManagementError('NODE_NOT_FOUND');
  return node;
}

/** The same, and nobody else changes it before the transaction ends. */
export async function lockNode(manager: EntityManager, id: number): Promise<Node> {
  const node = await manager.findOne(Node, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!node) throw new ManagementError('NODE_NOT_FOUND');
  return node;
}
