import { type EntityManager, QueryFailedError } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import type { NodeTraffic } from '../../usage/traffic.repository.js';
import { queueStatusChecks } from '../../user-store/life-cycle/queue-status-checks.js';
import { usersWithoutAccess } from '../../user-store/served/users-without-access.js';
import { NodeProblem } from '../store/node-problem.js';
import {
  GRACE_MS,
  implausibleText,
  judgeTraffic,
  lineBytes,
  lineSeconds,
  MAX_ALLOWANCE_SECONDS,
} from './judge-traffic.js';
import type { TrafficState } from './node-traffic.repository.js';
import type { TrafficStores } from './traffic-stores.js';

const MAX_ATTEMPTS = 3;
/** PostgreSQL's codes of a serialization failure and a deadlock, after which the same transaction can succeed. */
const TRANSIENT_CODES = new Set(['40001', '40P01']);
/** Time without implausible traffic after which the next is a new entry of the audit log. */
const EPISODE_MS = 3_600_000;
/** Interval of writes for a node that has no traffic. */
const SETTLE_MS = 60_000;

/** The traffic of a node that one transaction records. */
export interface TrafficAmount extends Pick<NodeTraffic, 'bytesByUser' | 'uplink' | 'downlink' | 'sealedAt'> {
  /** None of the traffic is older than this; null: unknown. */
  since: Date | null;
  /** It is all that the node had when it was asked. Else more of the same time may follow. */
  isComplete: boolean;
  /** Entries beyond the largest possible number, which were not read. */
  unreadEntries: number;
}

/** One transaction, in which nobody else records traffic of the node. */
export interface TrafficUpdate {
  readonly manager: EntityManager;
  readonly state: TrafficState;
  /** The node was deleted; its last traffic is recorded all the same. */
  readonly isDeleted: boolean;
  /** Returns the new state. */
  recordTraffic(amount: TrafficAmount): Promise<TrafficState>;
  /** Those of the users who cannot have traffic of the node. Users who do not exist are not among them. */
  findUsersWithoutAccess(userIds: readonly number[]): Promise<ReadonlySet<number>>;
}

/** Traffic that a node has reported and that is not counted. */
export interface ImplausibleTraffic {
  readonly message: string;
  readonly foundAt: Date;
}

/** Records the traffic of one node, as far as it can be true, in transactions that hold the node's row. */
export class TrafficRecorder {
  /** The state as the node's row has it, or had it before the node was deleted. */
  private lastState?: TrafficState;
  private lastImplausible: ImplausibleTraffic | undefined;
  /** Until when nothing is written for a node without traffic, by the monotonic clock. */
  private nextSettle = 0;

  constructor(
    readonly stores: TrafficStores,
    readonly nodeId: number,
  ) {}

  /** What this recorder last had to refuse. */
  get implausible(): ImplausibleTraffic | undefined {
    return this.lastImplausible;
  }

  async readState(): Promise<TrafficState> {
    const { nodes, database } = this.stores;
    const state = await nodes.findState(database.manager, this.nodeId);
    this.lastState = this.requireState(state);
    return this.lastState;
  }

  /** The node has no traffic that is not recorded: what it reports next is newer. */
  async settle(): Promise<void> {
    if (performance.now() < this.nextSettle) return;
    this.nextSettle = performance.now() + SETTLE_MS;
    const { nodes, database } = this.stores;
    await nodes.settle(database.manager, this.nodeId);
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
    const findUsersWithoutAccess = (ids: readonly number[]) => this.findUsersWithoutAccess(manager, state, ids);
    return work({ manager, state, isDeleted, recordTraffic, findUsersWithoutAccess });
  }

  private requireState(row: TrafficState | null): TrafficState {
    const state = row ?? this.lastState;
    if (!state) throw new NodeProblem('it was deleted before anything was collected');
    return state;
  }

  private async record(
    manager: EntityManager,
    state: TrafficState,
    isDeleted: boolean,
    amount: TrafficAmount,
  ): Promise<TrafficState> {
    const { nodeId } = this;
    const { usage, totals, nodes, lineRate } = this.stores;
    const seconds = await nodes.secondsSince(manager, state.trafficSettledAt);
    const plausible = {
      withoutAccess: await this.findUsersWithoutAccess(manager, state, [...amount.bytesByUser.keys()]),
      lineBytes: lineBytes(lineRate, state.trafficAllowance + seconds),
    };
    const counted = judgeTraffic(amount, plausible);
    const { bytesByUser, uplink, downlink } = counted;
    const { usageCoefficient: coefficient } = state;
    const { sealedAt, since, isComplete, unreadEntries } = amount;
    await usage.recordTraffic(manager, { nodeId, coefficient, sealedAt, bytesByUser, uplink, downlink });
    await queueStatusChecks(manager, [...bytesByUser.keys()], since);
    if (isDeleted) await totals.addToDeletedNodes(manager, counted);
    else await totals.addToNode(manager, nodeId, counted);

    const used = lineSeconds(lineRate, counted.carriedBytes);
    const settled = isComplete
      ? {
          trafficSettledAt: new Date(state.trafficSettledAt.getTime() + seconds * 1_000),
          trafficAllowance: Math.min(MAX_ALLOWANCE_SECONDS, state.trafficAllowance + seconds - used),
        }
      : { trafficSettledAt: state.trafficSettledAt, trafficAllowance: state.trafficAllowance - used };
    await nodes.setAllowance(manager, nodeId, settled);
    const message = implausibleText(counted, unreadEntries, plausible);
    const found = message !== undefined && (await this.reportImplausible(manager, state, message));
    return { ...state, ...settled, ...(found && { implausibleFoundAt: found }) };
  }

  private async findUsersWithoutAccess(
    manager: EntityManager,
    { inboundTags, trafficSettledAt }: TrafficState,
    userIds: readonly number[],
  ): Promise<ReadonlySet<number>> {
    const inbounds = await this.stores.nodes.findInbounds(manager, this.nodeId, inboundTags);
    const since = new Date(trafficSettledAt.getTime() - GRACE_MS);
    return new Set(await usersWithoutAccess(manager, userIds, inbounds, since));
  }

  private async reportImplausible(
    manager: EntityManager,
    { implausibleFoundAt }: TrafficState,
    message: string,
  ): Promise<Date> {
    const foundAt = new Date();
    await this.stores.nodes.countImplausible(manager, this.nodeId, message);
    const isNew = implausibleFoundAt === null || foundAt.getTime() - implausibleFoundAt.getTime() > EPISODE_MS;
    const target = `node/${this.nodeId}`;
    if (isNew) await recordAudit(manager, { action: 'node.implausible_traffic', target, after: { message } });
    const shown = this.lastImplausible;
    const isShown = shown !== undefined && foundAt.getTime() - shown.foundAt.getTime() < SETTLE_MS;
    if (!isShown) this.lastImplausible = { message, foundAt };
    return foundAt;
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof QueryFailedError && TRANSIENT_CODES.has(String(Reflect.get(error.driverError, 'code')));
