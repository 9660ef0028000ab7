import { type CallOptions, type NodeClient, type Stat, StatType } from '@rampart/node-client';
import { userIdOfTraffic } from './node-user-id.js';

/** What the counters of 100,000 users may take. */
const ANSWER_MS = 30_000;
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** Bytes in both directions. */
export interface TrafficBytes {
  uplink: bigint;
  downlink: bigint;
}

/** What the counters of one engine say. */
export interface EngineCounters {
  /** Of the engine, in seconds. */
  readonly uptime: number;
  /** Of users that are ours, by their ids. */
  readonly users: ReadonlyMap<number, TrafficBytes>;
  readonly outbounds: TrafficBytes;
}

/** Reads and does not reset them. Undefined when another engine took the place of the first meanwhile. */
export async function readEngineCounters(client: NodeClient, given: CallOptions): Promise<EngineCounters | undefined> {
  const options = { timeoutMs: ANSWER_MS, ...given };
  const { uptime } = await client.backendStats(options);
  const users = await client.stats({ type: StatType.UsersStat, reset: false }, options);
  const outbounds = await client.stats({ type: StatType.Outbounds, reset: false }, options);
  const { uptime: uptimeAfter } = await client.backendStats(options);
  if (uptimeAfter < uptime) return undefined;
  return { uptime, users: bytesByUser(users.stats), outbounds: sum(outbounds.stats) };
}

/** A user who was renamed has two e-mails in one engine. */
function bytesByUser(stats: readonly Stat[]): Map<number, TrafficBytes> {
  const users = new Map<number, TrafficBytes>();
  for (const stat of stats) {
    const id = userIdOfTraffic(stat.name);
    if (id === undefined) continue;
    const bytes = users.get(id) ?? { uplink: 0n, downlink: 0n };
    add(bytes, stat);
    users.set(id, bytes);
  }
  return users;
}

function sum(stats: readonly Stat[]): TrafficBytes {
  const bytes = { uplink: 0n, downlink: 0n };
  for (const stat of stats) add(bytes, stat);
  return bytes;
}

/** Within what a number holds exactly, whatever a node claims. */
function add(bytes: TrafficBytes, { type, link, value }: Stat): void {
  if (link !== 'traffic' || (type !== 'uplink' && type !== 'downlink') || value < 0n) return;
  const total = bytes[type] + value;
  bytes[type] = total < MOST ? total : MOST;
}
