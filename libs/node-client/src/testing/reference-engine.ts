import { status } from '@grpc/grpc-js';
import { BackendStatsResponse, type Stat, type StatRequest, StatType } from '../gen/service.js';
import { ReferenceRefusal } from './reference-refusal.js';
import { isBefore } from './reference-version.js';

const KINDS: Readonly<Record<number, readonly [kind: string, what: string | undefined]>> = {
  [StatType.Outbounds]: ['outbound', undefined],
  [StatType.Outbound]: ['outbound', 'tag'],
  [StatType.Inbounds]: ['inbound', undefined],
  [StatType.Inbound]: ['inbound', 'tag'],
  [StatType.UsersStat]: ['user', undefined],
  [StatType.UserStat]: ['user', 'email'],
};

/** Maximum size of an answer of the engine to older versions of the node: that of about 50,000 users. */
const OLD_MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Size of a counter in such an answer, without its name. */
const COUNTER_BYTES = 12;

/**
 * The traffic counters of the engine of a {@link ReferenceNode}. They begin with the first traffic, and end with the
 * process.
 */
export class ReferenceEngine {
  /** Counters by their names in the engine, such as `user>>>1.ann>>>traffic>>>uplink`. */
  readonly counters = new Map<string, bigint>();
  /** Uptime in seconds, which only tests change. */
  uptime = 0;
  starts = 0;
  /** Whether its API answers the check of its health. */
  answers = true;

  constructor(private readonly nodeVersion = '0.5.2') {}

  /** Begins a new process, with all counters at zero. */
  start(): void {
    this.counters.clear();
    this.uptime = 0;
    this.starts += 1;
  }

  /** Adds traffic of a user in bytes, through the inbound `in` and the outbound `direct`. */
  carry(email: string, uplink: bigint, downlink: bigint): void {
    for (const name of [`user>>>${email}`, 'inbound>>>in', 'outbound>>>direct']) {
      this.add(`${name}>>>traffic>>>uplink`, uplink);
      this.add(`${name}>>>traffic>>>downlink`, downlink);
    }
  }

  query({ name, reset, type }: StatRequest): Stat[] {
    const [kind, what] = KINDS[type] ?? [];
    if (!kind) throw new ReferenceRefusal(500, status.UNKNOWN, 'not implemented stat type');
    if (what && name === '') throw new ReferenceRefusal(500, status.UNKNOWN, `${what} required`);
    const pattern = what ? `${kind}>>>${name}>>>` : `${kind}>>>`;
    const found = [...this.counters].filter(([counter]) => counter.startsWith(pattern));
    this.checkSize(found.map(([counter]) => counter));
    if (reset) for (const [counter] of found) this.counters.set(counter, 0n);
    return found.map(([counter, value]) => {
      const [, item = '', link = '', direction = ''] = counter.split('>>>');
      // Before version 0.5, `type` and `link` of single items are swapped.
      return what && isBefore(this.nodeVersion, 5)
        ? { name: item, type: link, link: direction, value }
        : { name: item, type: direction, link, value };
    });
  }

  stats(): BackendStatsResponse {
    if (!this.answers) {
      const text = 'rpc error: code = Unavailable desc = failed to get sys stats: connection refused';
      throw new ReferenceRefusal(503, status.UNAVAILABLE, text);
    }
    return BackendStatsResponse.fromPartial({ numGoroutine: 9, alloc: 7n, uptime: this.uptime });
  }

  private checkSize(counters: readonly string[]): void {
    const size = counters.reduce((total, { length }) => total + length + COUNTER_BYTES, 0);
    if (size <= OLD_MAX_ANSWER_BYTES || !isBefore(this.nodeVersion, 5, 1)) return;
    const text = `grpc: received message larger than max (${size} vs. ${OLD_MAX_ANSWER_BYTES})`;
    throw new ReferenceRefusal(429, status.RESOURCE_EXHAUSTED, `rpc error: code = ResourceExhausted desc = ${text}`);
  }

  private add(counter: string, bytes: bigint): void {
    this.counters.set(counter, (this.counters.get(counter) ?? 0n) + bytes);
  }
}
