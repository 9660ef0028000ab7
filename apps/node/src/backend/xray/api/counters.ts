import type { Bytes, TrafficReading } from '../../backend.js';
import type { Counter } from '../gen/stats.js';
import { isReserved } from '../reserved.js';

const BOOKS = new Map<string, keyof TrafficReading>([
  ['user', 'users'],
  ['inbound', 'inbounds'],
  ['outbound', 'outbounds'],
]);

/** Sorts the engine's counters by whom they count, without the node's own. Names without a byte are left out. */
export function readingOf(counters: readonly Counter[]): TrafficReading {
  const reading = {
    users: new Map<string, Bytes>(),
    inbounds: new Map<string, Bytes>(),
    outbounds: new Map<string, Bytes>(),
  };
  for (const { name, value } of counters) {
    if (value === 0n) continue;
    const [, kind = '', whose = '', direction] = /^(\w+)>>>(.*)>>>traffic>>>(uplink|downlink)$/s.exec(name) ?? [];
    const book = BOOKS.get(kind);
    if (book === undefined || isReserved(whose)) continue;
    const bytes = reading[book].get(whose) ?? { uplink: 0n, downlink: 0n };
    if (direction === 'uplink') bytes.uplink += value;
    else bytes.downlink += value;
    reading[book].set(whose, bytes);
  }
  return reading;
}
