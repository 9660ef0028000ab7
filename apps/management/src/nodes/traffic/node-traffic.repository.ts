import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Node } from '../store/node.entity.js';

/** Up to which batch the traffic of a node is recorded, and the coefficient by which it counts. */
export type TrafficState = Pick<Node, 'trafficLedger' | 'trafficNumber' | 'trafficSealedAt' | 'usageCoefficient'>;

const COLUMNS = { id: true, trafficLedger: true, trafficNumber: true, trafficSealedAt: true, usageCoefficient: true };

/** The statements on the traffic state of a node's row. They return null for a deleted node. */
@Injectable()
export class NodeTrafficRepository {
  findState(manager: EntityManager, id: number): Promise<TrafficState | null> {
    return manager.findOne(Node, { select: COLUMNS, where: { id } });
  }

  /** Nobody else records traffic of the node before the transaction ends. */
  lockState(manager: EntityManager, id: number): Promise<TrafficState | null> {
    return manager.findOne(Node, { select: COLUMNS, where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  async setLastBatch(
    manager: EntityManager,
    id: number,
    batch: Pick<TrafficState, 'trafficLedger' | 'trafficNumber' | 'trafficSealedAt'>,
  ): Promise<void> {
    await manager.update(Node, { id }, batch);
  }
}
