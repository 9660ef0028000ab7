import { type Stat, type StatRequest, StatType } from '@rampart/node-client';
import type { Bytes, TrafficReading } from '../backend/backend.js';
import { NodeError } from '../errors/node-error.js';
import { TrafficSum } from './traffic-sum.js';

const DIRECTIONS = ['uplink', 'downlink'] as const;

/** Which book a type of statistic reads, and whether it asks for one name; a name's kind as errors call it. */
const TYPES = new Map<StatType, { book: keyof TrafficReading; one?: 'email' | 'tag' }>([
  [StatType.Outbounds, { book: 'outbounds' }],
  [StatType.Outbound, { book: 'outbounds', one: 'tag' }],
  [StatType.Inbounds, { book: 'inbounds' }],
  [StatType.Inbound, { book: 'inbounds', one: 'tag' }],
  [StatType.UsersStat, { book: 'users' }],
  [StatType.UserStat, { book: 'users', one: 'email' }],
]);

/** The counters behind GetStats: bytes since the last reset of each name. */
export class TrafficTotals {
  private readonly sums = new TrafficSum();

  add(reading: TrafficReading): void {
    this.sums.add(reading);
  }

  /** INVALID_ARGUMENT for a type that does not exist or a name that is missing; a name never seen has no entries. */
  query({ type, name, reset }: StatRequest): Stat[] {
    const kind = checkStatRequest({ type, name });
    const book = this.sums[kind.book];
    const stats = kind.one === undefined ? [...book].flatMap(entries) : entries([name, book.get(name)]);
    if (reset && kind.one === undefined) book.clear();
    if (reset && kind.one !== undefined) book.delete(name);
    return stats;
  }
}

/** Refuses what GetStats cannot answer, before anything is read. */
export function checkStatRequest({ type, name }: Pick<StatRequest, 'type' | 'name'>) {
  const kind = TYPES.get(type);
  if (kind === undefined) {
    throw new NodeError('INVALID_ARGUMENT', `type ${type} is not a statistic; use 0 to ${TYPES.size - 1}`);
  }
  if (kind.one !== undefined && name === '') {
    throw new NodeError('INVALID_ARGUMENT', `name is missing: ${StatType[type]} needs the ${kind.one}`);
  }
  return kind;
}

function entries([name, bytes]: readonly [string, Bytes | undefined]): Stat[] {
  if (bytes === undefined) return [];
  return DIRECTIONS.map((type) => ({ name, type, link: 'traffic', value: bytes[type] }));
}
