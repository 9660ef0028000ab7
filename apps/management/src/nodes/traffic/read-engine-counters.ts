import { type EntryOptions, type NodeClient, type Stat, StatType } from '@rampart/node-client';
import { userIdOfTraffic } from './node-user-id.js';

/** Timeout that suffices for the counters of 100,000 users. */
const TIMEOUT_MS = 30_000;
const MAX_BYTES = BigInt(Number.MAX_SAFE_INTEGER);

/** The bytes that the engine has counted for a user or an outbound, by direction. */
export interface TrafficBytes {
  uplink: bigint;
  downlink: bigint;
}

/** One reading of the counters of an engine. */
export interface EngineCounters {
  /** Uptime of the engine in seconds. */
  readonly uptime: number;
  /** Counters by user id, without those of e-mails that are not ours. */
  readonly users: ReadonlyMap<number, TrafficBytes>;
  /** The sum over all outbounds. */
  readonly outbounds: TrafficBytes;
}

/** Reads the counters without resetting them. Returns undefined when the engine was restarted meanwhile. */
export async function readEngineCounters(
  client: NodeClient,
  callOptions: EntryOptions,
): Promise<EngineCounters | undefined> {
  const options = { timeoutMs: TIMEOUT_MS, ...callOptions };
  const { uptime } = await client.backendStats(options);
  const users = await client.stats({ type: StatType.UsersStat, reset: false }, options);
  const outbounds = await client.stats({ type: StatType.Outbounds, reset: false }, options);
  const { uptime: uptimeAfter } = await client.backendStats(options);
  if (uptimeAfter < uptime) return undefined;
  return { uptime, users: bytesByUser(users.stats), outbounds: sumOf(outbounds.stats) };
}

/** A user who was renamed has two e-mails in one engine. */
function bytesByUser(stats: readonly Stat[]): Map<number, TrafficBytes> {
  const users = new Map<number, TrafficBytes>();
  for (const stat of stats) {
    const id = userIdOfTraffic(stat.name);
    if (id === undefined) continue;
    const bytes = users.get(id) ?? { uplink: 0n, downlink: 0n };
    addStat(bytes, stat);
    users.set(id, bytes);
  }
  return users;
}

function sumOf(stats: readonly Stat[]): TrafficBytes {
  const bytes = { uplink: 0n, downlink: 0n };
  for (const stat of stats) addStat(bytes, stat);
  return bytes;
}

/** Values of a faulty node never exceed what a number holds exactly. */
function addStat(bytes: TrafficBytes, { type, link, value }: Stat): void {
  if (link !== 'traffic' || (type !== 'uplink' && type !== 'downlink') || value < 0n) return;
  const total = bytes[type] + value;
  bytes[type] = total < MAX_BYTES ? total : MAX_BYTES;
}
