import { type EntityManager, QueryFailedError } from 'typeorm';
import type { NodeTraffic } from '../../usage/traffic.repository.js';
import { queueStatusChecks } from '../../user-store/life-cycle/queue-status-checks.js';
import { NodeProblem } from '../store/node-problem.js';
import type { TrafficState } from './node-traffic.repository.js';
import type { TrafficStores } from './traffic-stores.js';

const MAX_ATTEMPTS = 3;
/** PostgreSQL's codes of a serialization failure and a deadlock, after which the same transaction can succeed. */
const TRANSIENT_CODES = new Set(['40001', '40P01']);

/** The traffic of a node that one transaction records. */
export interface TrafficAmount extends Pick<NodeTraffic, 'bytesByUser' | 'uplink' | 'downlink' | 'sealedAt'> {
  /** None of the traffic is older than this; null: unknown. */
  since: Date | null;
}

/** One transaction, in which nobody else records traffic of the node. */
export interface TrafficUpdate {
  readonly manager: EntityManager;
  readonly state: TrafficState;
  /** The node was deleted; its last traffic is recorded all the same. */
  readonly isDeleted: boolean;
  recordTraffic(amount: TrafficAmount): Promise<void>;
}

/** Records the traffic of one node, in transactions that hold the node's row. */
export class TrafficRecorder {
  /** The state as the node's row has it, or had it before the node was deleted. */
  private lastState?: TrafficState;

  constructor(
    readonly stores: TrafficStores,
    readonly nodeId: number,
  ) {}

  async readState(): Promise<TrafficState> {
    const { nodes, database } = this.stores;
    const state = await nodes.findState(database.manager, this.nodeId);
    this.lastState = this.requireState(state);
    return this.lastState;
  }

  /** Returns the new state. @param work returns it; it runs again after a deadlock */
  async update(work: (update: TrafficUpdate) => Promise<TrafficState>): Promise<TrafficState> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const state = await this.stores.database.transaction((manager) => this.updateOnce(manager, work));
        this.lastState = state;
        return state;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  private async updateOnce(
    manager: EntityManager,
    work: (update: TrafficUpdate) => Promise<TrafficState>,
  ): Promise<TrafficState> {
    const row = await this.stores.nodes.lockState(manager, this.nodeId);
    const state = this.requireState(row);
    const isDeleted = row === null;
    const recordTraffic = (amount: TrafficAmount) => this.record(manager, state, isDeleted, amount);
    return work({ manager, state, isDeleted, recordTraffic });
  }

  private requireState(row: TrafficState | null): TrafficState {
    const state = row ?? this.lastState;
    if (!state) throw new NodeProblem('it was deleted before anything was collected');
    return state;
  }

  private async record(
    manager: EntityManager,
    { usageCoefficient: coefficient }: TrafficState,
    isDeleted: boolean,
    { since, ...amount }: TrafficAmount,
  ): Promise<void> {
    const { nodeId } = this;
    const { usage, totals } = this.stores;
    await usage.recordTraffic(manager, { nodeId, coefficient, ...amount });
    await queueStatusChecks(manager, [...amount.bytesByUser.keys()], since);
    if (isDeleted) await totals.addToDeletedNodes(manager, amount);
    else await totals.addToNode(manager, nodeId, amount);
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof QueryFailedError && TRANSIENT_CODES.has(String(Reflect.get(error.driverError, 'code')));
