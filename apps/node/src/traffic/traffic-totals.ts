import { type Stat, type StatRequest, StatType } from '@rampart/node-client';
import type { TrafficBytes, TrafficGroup } from '../backend/backend.js';
import { forEachYielding } from '../concurrency/for-each-yielding.js';
import { NodeError } from '../errors/node-error.js';
import type { TrafficCounters } from './traffic-counters.js';
import { appendOrDiscard, type TrafficRecordLog } from './traffic-record-log.js';

const DIRECTIONS = ['uplink', 'downlink'] as const;

/**
 * The group that each type of statistic reads. `one` is set for types of a single name: the word for the name in
 * errors.
 */
const STAT_TYPES = new Map<StatType, { group: TrafficGroup; one?: 'email' | 'tag' }>([
  [StatType.Outbounds, { group: 'outbounds' }],
  [StatType.Outbound, { group: 'outbounds', one: 'tag' }],
  [StatType.Inbounds, { group: 'inbounds' }],
  [StatType.Inbound, { group: 'inbounds', one: 'tag' }],
  [StatType.UsersStat, { group: 'users' }],
  [StatType.UserStat, { group: 'users', one: 'email' }],
]);

/** The totals behind GetStats: bytes since the last reset of each name. */
export class TrafficTotals {
  constructor(
    private readonly counters: TrafficCounters,
    private readonly recordLog: TrafficRecordLog,
  ) {}

  /**
   * Returns an uplink and a downlink entry for each name; an unknown name has none. Fails with INVALID_ARGUMENT for an
   * unknown type or a missing name. A reset happens together with the read, so that each byte is reported to one caller
   * only.
   */
  async queryStats({ type, name, reset }: StatRequest): Promise<Stat[]> {
    const { group, one } = checkStatRequest({ type, name });
    if (one === undefined) {
      const totals = [...this.counters.totals(group)];
      if (reset && totals.length > 0) await appendOrDiscard(this.recordLog, this.counters.resetTotals(group));
      const stats: Stat[] = [];
      await forEachYielding(totals, ([name, bytes]) => stats.push(...entriesOf(name, bytes)));
      return stats;
    }
    const bytes = this.counters.totalOf(group, name);
    if (reset && bytes !== undefined) await appendOrDiscard(this.recordLog, this.counters.resetTotals(group, name));
    return bytes === undefined ? [] : entriesOf(name, bytes);
  }
}

/** Refuses requests that GetStats cannot answer, before anything is read. */
export function checkStatRequest({ type, name }: Pick<StatRequest, 'type' | 'name'>) {
  const kind = STAT_TYPES.get(type);
  if (kind === undefined) {
    throw new NodeError('INVALID_ARGUMENT', `type ${type} is not a statistic; use 0 to ${STAT_TYPES.size - 1}`);
  }
  if (kind.one !== undefined && name === '') {
    throw new NodeError('INVALID_ARGUMENT', `name is missing: ${StatType[type]} needs the ${kind.one}`);
  }
  return kind;
}

function entriesOf(name: string, bytes: TrafficBytes): Stat[] {
  return DIRECTIONS.map((type) => ({ name, type, link: 'traffic', value: bytes[type] }));
}
