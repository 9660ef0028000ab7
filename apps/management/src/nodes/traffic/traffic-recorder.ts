import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { type NodeTraffic, recordTraffic } from '../../usage/record-traffic.js';
import { queueStatusChecks } from '../../user-store/life-cycle/queue-status-checks.js';
import { Node } from '../store/node.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import { addToKept } from '../store/node-totals.js';

const ATTEMPTS = 3;
/** Serialization failure, deadlock: the same transaction succeeds a moment later. */
const TRANSIENT = new Set(['40001', '40P01']);

/** How a node's traffic is booked, and up to which batch it is. */
export type TrafficState = Pick<Node, 'trafficLedger' | 'trafficNumber' | 'trafficSealedAt' | 'usageCoefficient'>;

const ACCOUNT = { id: true, trafficLedger: true, trafficNumber: true, trafficSealedAt: true, usageCoefficient: true };

const ADD_TOTALS = `
  UPDATE nodes SET
    uplink = least(uplink + $2::numeric, ${Number.MAX_SAFE_INTEGER}),
    downlink = least(downlink + $3::numeric, ${Number.MAX_SAFE_INTEGER})
  WHERE id = $1`;

/** What a node has carried, and since when: none of it is older. null: that is unknown. */
export interface TrafficAmount extends Pick<NodeTraffic, 'bytesByUser' | 'uplink' | 'downlink' | 'sealedAt'> {
  since: Date | null;
}

/** One transaction on the account, which nobody else changes meanwhile. */
export interface TrafficUpdate {
  readonly manager: EntityManager;
  readonly state: TrafficState;
  /** The node is deleted: what is left of it is booked all the same. */
  readonly isDeleted: boolean;
  recordTraffic(carried: TrafficAmount): Promise<void>;
}

/** The account of one node: whoever books its traffic holds its row. */
export class TrafficRecorder {
  /** As the node's row says, or said before the node was deleted. */
  private known?: TrafficState;

  constructor(
    readonly database: DataSource,
    readonly nodeId: number,
  ) {}

  async readState(): Promise<TrafficState> {
    const row = await this.database.manager.findOne(Node, { select: ACCOUNT, where: { id: this.nodeId } });
    this.known = row ?? this.known;
    if (!this.known) throw new NodeProblem('it was deleted before anything was collected');
    return this.known;
  }

  /** @param work answers the account as it leaves it; it may run again */
  async update(work: (change: TrafficUpdate) => Promise<TrafficState>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.known = await this.database.transaction((manager) => this.changeOnce(manager, work));
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  private async changeOnce(
    manager: EntityManager,
    work: (change: TrafficUpdate) => Promise<TrafficState>,
  ): Promise<TrafficState> {
    const where = { id: this.nodeId };
    const row = await manager.findOne(Node, { select: ACCOUNT, where, lock: { mode: 'for_no_key_update' } });
    const state = row ?? this.known;
    if (!state) throw new NodeProblem('it was deleted before anything was collected');
    const isDeleted = row === null;
    const record = (amount: TrafficAmount) => this.record(manager, state, isDeleted, amount);
    return work({ manager, state, isDeleted, recordTraffic: record });
  }

  private async record(
    manager: EntityManager,
    { usageCoefficient: coefficient }: TrafficState,
    isDeleted: boolean,
    { since, ...amount }: TrafficAmount,
  ): Promise<void> {
    const { nodeId } = this;
    await recordTraffic(manager, { nodeId, coefficient, ...amount });
    await queueStatusChecks(manager, [...amount.bytesByUser.keys()], since);
    if (isDeleted) await addToKept(manager, amount);
    else await manager.query(ADD_TOTALS, [nodeId, `${amount.uplink}`, `${amount.downlink}`]);
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof QueryFailedError && TRANSIENT.has(String(Reflect.get(error.driverError, 'code')));
