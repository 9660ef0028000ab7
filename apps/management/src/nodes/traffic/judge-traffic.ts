/** Seconds of a full line that a node may have used beyond the time since its traffic was last recorded. */
export const MAX_ALLOWANCE_SECONDS = 30;
/** Time after a user has lost the last inbound of a node in which its open connections may still carry traffic. */
export const GRACE_MS = 24 * 3_600_000;

const BYTES_PER_MBIT = 125_000;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB'] as const;

/** Traffic as a node reports it, in bytes. */
export interface ReportedTraffic {
  readonly bytesByUser: ReadonlyMap<number, bigint>;
  readonly uplink: bigint;
  readonly downlink: bigint;
}

/** What a node can have carried. */
export interface Plausible {
  /** Users who could not use the node. */
  readonly withoutAccess: ReadonlySet<number>;
  /** Bytes that the line of the node can have carried, both directions together. */
  readonly lineBytes: bigint;
}

/** Entries that were not counted. */
interface Refused {
  readonly users: number;
  readonly bytes: bigint;
}

/** The part of a report that counts, and what does not. */
export interface JudgedTraffic extends ReportedTraffic {
  readonly withoutAccess: Refused;
  readonly beyondLine: Refused;
  /** Bytes of the outbounds that were not counted. */
  readonly outboundBytes: bigint;
  /** Bytes that the line of the node must have carried for the part that counts. */
  readonly carriedBytes: bigint;
}

/** Bytes that a line carries in some seconds, both directions together. */
export const lineBytes = (mbitPerSecond: number, seconds: number): bigint =>
  BigInt(Math.floor(mbitPerSecond * BYTES_PER_MBIT * 2 * Math.max(0, seconds)));

/** Seconds in which a line carries these bytes. */
export const lineSeconds = (mbitPerSecond: number, bytes: bigint): number =>
  Number(bytes) / (mbitPerSecond * BYTES_PER_MBIT * 2);

/**
 * Judges each entry of a report alone: it counts as a whole or not at all. Where all of them together are more than the line
 * can have carried, the smallest count as long as their sum is possible.
 */
export function judgeTraffic({ bytesByUser, uplink, downlink }: ReportedTraffic, plausible: Plausible): JudgedTraffic {
  const own = [...bytesByUser].filter(([id]) => !plausible.withoutAccess.has(id));
  const all = sumOf(bytesByUser.values());
  const total = sumOf(own.map(([, bytes]) => bytes));
  const counted = total <= plausible.lineBytes ? own : smallestWithin(own, plausible.lineBytes);
  const carried = sumOf(counted.map(([, bytes]) => bytes));
  const outbounds = uplink + downlink;
  const areOutboundsCounted = outbounds <= plausible.lineBytes;
  return {
    bytesByUser: new Map(counted),
    uplink: areOutboundsCounted ? uplink : 0n,
    downlink: areOutboundsCounted ? downlink : 0n,
    withoutAccess: { users: bytesByUser.size - own.length, bytes: all - total },
    beyondLine: { users: own.length - counted.length, bytes: total - carried },
    outboundBytes: areOutboundsCounted ? 0n : outbounds,
    carriedBytes: areOutboundsCounted && outbounds > carried ? outbounds : carried,
  };
}

/** What was not counted, in a sentence for admins; undefined where all of it counts. */
export function implausibleText(
  { withoutAccess, beyondLine, outboundBytes }: JudgedTraffic,
  unreadEntries: number,
  { lineBytes: limit }: Plausible,
): string | undefined {
  const line = `the ${bytesText(limit)} that its line can have carried`;
  const parts = [
    withoutAccess.users > 0 &&
      `${bytesText(withoutAccess.bytes)} of ${count(withoutAccess.users)} without access to it`,
    beyondLine.users > 0 && `${bytesText(beyondLine.bytes)} of ${count(beyondLine.users)} beyond ${line}`,
    outboundBytes > 0n && `${bytesText(outboundBytes)} of its outbounds, more than ${line}`,
    unreadEntries > 0 && `${unreadEntries} entries more than there can be`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : `it reported traffic that is not counted: ${parts.join('; ')}`;
}

function smallestWithin(entries: readonly [number, bigint][], limit: bigint): [number, bigint][] {
  let left = limit;
  const sorted = entries.toSorted(([, one], [, other]) => Number(one - other));
  return sorted.slice(
    0,
    sorted.findIndex(([, bytes]) => {
      left -= bytes;
      return left < 0n;
    }),
  );
}

function sumOf(values: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const value of values) sum += value;
  return sum;
}

const count = (users: number): string => (users === 1 ? '1 user' : `${users} users`);

function bytesText(bytes: bigint): string {
  const unit = Math.min(Math.floor((String(bytes).length - 1) / 3), UNITS.length - 1);
  const value = Number(bytes) / 1000 ** unit;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
