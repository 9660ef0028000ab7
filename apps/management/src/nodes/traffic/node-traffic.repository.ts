import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { counterValue } from '../../database/counters.js';
import type { InboundSpan } from '../../user-store/served/users-without-access.js';
import { Node } from '../store/node.entity.js';
import { MAX_ALLOWANCE_SECONDS } from './judge-traffic.js';

const COLUMNS = {
  trafficLedger: true,
  trafficNumber: true,
  trafficSealedAt: true,
  usageCoefficient: true,
  inboundTags: true,
  trafficSettledAt: true,
  trafficAllowance: true,
  implausibleFoundAt: true,
} as const;

/** Up to which batch the traffic of a node is recorded, the coefficient by which it counts, and what it can have carried. */
export type TrafficState = Pick<Node, keyof typeof COLUMNS>;

/** The statements on the traffic state of a node's row. They return null for a deleted node. */
@Injectable()
export class NodeTrafficRepository {
  findState(manager: EntityManager, id: number): Promise<TrafficState | null> {
    return manager.findOne(Node, { select: { id: true, ...COLUMNS }, where: { id } });
  }

  /** Nobody else records traffic of the node before the transaction ends. */
  lockState(manager: EntityManager, id: number): Promise<TrafficState | null> {
    const select = { id: true, ...COLUMNS };
    return manager.findOne(Node, { select, where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  async setLastBatch(
    manager: EntityManager,
    id: number,
    batch: Pick<TrafficState, 'trafficLedger' | 'trafficNumber' | 'trafficSealedAt'>,
  ): Promise<void> {
    await manager.update(Node, { id }, batch);
  }

  /** The inbounds that a node has, and those that it had before. */
  async findInbounds(manager: EntityManager, id: number, present: readonly string[]): Promise<InboundSpan[]> {
    const past = await manager.query<InboundSpan[]>('SELECT tag, until FROM past_node_tags WHERE node_id = $1', [id]);
    return [...past, ...present.map((tag) => ({ tag, until: null }))];
  }

  /** Seconds from a moment to now, by the clock of the database. */
  async secondsSince(manager: EntityManager, moment: Date): Promise<number> {
    const [row] = await manager.query<{ seconds: number }[]>(
      'SELECT extract(epoch FROM now() - $1::timestamptz)::float8 AS seconds',
      [moment],
    );
    return Math.max(0, row?.seconds ?? 0);
  }

  async setAllowance(
    manager: EntityManager,
    id: number,
    state: Pick<TrafficState, 'trafficSettledAt' | 'trafficAllowance'>,
  ): Promise<void> {
    await manager.update(Node, { id }, state);
  }

  /** The node has no traffic that is not recorded. */
  async settle(manager: EntityManager, id: number): Promise<void> {
    await manager.query(
      `UPDATE nodes SET traffic_settled_at = now(), traffic_allowance =
         least($2, traffic_allowance + greatest(0, extract(epoch FROM now() - traffic_settled_at)))
       WHERE id = $1`,
      [id, MAX_ALLOWANCE_SECONDS],
    );
  }

  /** The node has reported traffic that cannot be. What is shown of it changes once a minute at most. */
  async countImplausible(manager: EntityManager, id: number, message: string): Promise<void> {
    await manager.query(
      `UPDATE nodes SET implausible_count = implausible_count + 1,
         implausible_found_at = CASE WHEN due THEN now() ELSE implausible_found_at END,
         implausible_message = CASE WHEN due THEN $2 ELSE implausible_message END
       FROM (SELECT id AS known_id, coalesce(implausible_found_at < now() - interval '1 minute', true) AS due
         FROM nodes WHERE id = $1) AS known
       WHERE id = known_id`,
      [id, message],
    );
  }

  /** The number of all users. */
  async countUsers(manager: EntityManager): Promise<number> {
    const [row] = await manager.query<{ users: string }[]>(`SELECT ${counterValue('users')} AS users`);
    return Number(row?.users ?? 0);
  }
}
