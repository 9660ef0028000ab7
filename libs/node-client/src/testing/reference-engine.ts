import { status } from '@grpc/grpc-js';
import { type Stat, type StatRequest, StatType } from '../gen/service.js';
import { ReferenceRefusal } from './reference-refusal.js';

const KINDS: Readonly<Record<number, readonly [kind: string, what: string | undefined]>> = {
  [StatType.Outbounds]: ['outbound', undefined],
  [StatType.Outbound]: ['outbound', 'tag'],
  [StatType.Inbounds]: ['inbound', undefined],
  [StatType.Inbound]: ['inbound', 'tag'],
  [StatType.UsersStat]: ['user', undefined],
  [StatType.UserStat]: ['user', 'email'],
};

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

  /** @param isOld whether `type` and `link` of single items are swapped, as before version 0.5. */
  query({ name, reset, type }: StatRequest, isOld: boolean): Stat[] {
    const [kind, what] = KINDS[type] ?? [];
    if (!kind) throw new ReferenceRefusal(500, status.UNKNOWN, 'not implemented stat type');
    if (what && name === '') throw new ReferenceRefusal(500, status.UNKNOWN, `${what} required`);
    const pattern = what ? `${kind}>>>${name}>>>` : `${kind}>>>`;
    const found = [...this.counters].filter(([counter]) => counter.startsWith(pattern));
    if (reset) for (const [counter] of found) this.counters.set(counter, 0n);
    return found.map(([counter, value]) => {
      const [, item = '', link = '', direction = ''] = counter.split('>>>');
      return what && isOld
        ? { name: item, type: link, link: direction, value }
        : { name: item, type: direction, link, value };
    });
  }

  private add(counter: string, bytes: bigint): void {
    this.counters.set(counter, (this.counters.get(counter) ?? 0n) + bytes);
  }
}
