import { Injectable } from '@nestjs/common';
import { type EntityManager, Not } from 'typeorm';
import { Node } from '../store/node.entity.js';

/** What a worker reports about its node. */
export type NodeReport = Pick<Node, 'status' | 'message'> & Partial<Pick<Node, 'coreVersion' | 'nodeVersion'>>;

/** The statements of the sync workers on the rows of their nodes. */
@Injectable()
export class NodeSyncRepository {
  /** The node as a connection is opened to it. @throws EntityNotFoundError when it was deleted */
  findNodeToConnect(manager: EntityManager, id: number): Promise<Node> {
    return manager.findOneByOrFail(Node, { id });
  }

  /** The revision from which the node must have been started; undefined when the node was deleted. */
  async findStartRevision(manager: EntityManager, id: number): Promise<bigint | undefined> {
    const node = await manager.findOne(Node, { select: { id: true, startRevision: true }, where: { id } });
    return node?.startRevision;
  }

  /** After a Start: a core stays pending where the node is pinned to an older one or must be started again. */
  async markStarted(manager: EntityManager, id: number, revision: bigint): Promise<void> {
    await manager.update(
      Node,
      { id },
      { corePending: () => `pinned_core IS NOT NULL OR start_revision > ${revision}` },
    );
  }

  /** Every change of users up to this revision has reached the node. */
  async setSyncedRevision(manager: EntityManager, id: number, revision: bigint): Promise<void> {
    await manager.update(Node, { id }, { syncedRevision: revision });
  }

  /** A disabled node stays disabled: its worker may hear later than anybody else that it was disabled. */
  async writeReport(manager: EntityManager, id: number, report: NodeReport): Promise<void> {
    await manager.update(Node, { id, status: Not('disabled') }, report);
  }
}
