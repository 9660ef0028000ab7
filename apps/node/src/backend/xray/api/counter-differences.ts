import { setImmediate } from 'node:timers/promises';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { Bytes, TrafficReading } from '../../backend.js';
import { isReserved, withoutAliases } from '../reserved.js';

const BOOKS = new Map<string, keyof TrafficReading>([
  ['user', 'users'],
  ['inbound', 'inbounds'],
  ['outbound', 'outbounds'],
]);
const DIRECTIONS = [
  { suffix: Buffer.from('>>>traffic>>>uplink'), cell: 0, direction: 'uplink' },
  { suffix: Buffer.from('>>>traffic>>>downlink'), cell: 1, direction: 'downlink' },
] as const;
/** Counters between two turns of others. */
const SLICE = 20_000;
const FIRST_ROWS = 64;
const STAT = (1 << 3) | WireType.LengthDelimited;
const NAME = STAT;
const VALUE = (2 << 3) | WireType.Varint;

type Reading = Record<keyof TrafficReading, Map<string, Bytes>>;

/**
 * The counters of one run of the engine, which are never reset: what was counted since the reading before is the
 * difference. An answer that is lost on its way loses no byte, the next one has it too.
 */
export class EngineCounters {
  private readonly rows = new Map<string, number>();
  private values = new BigUint64Array(FIRST_ROWS * 2);

  /**
   * Takes a QueryStatsResponse as it came: with 100,000 users it has 8 MB, most of it names of whom nothing is new. Users
   * without a byte are left out; tags are there all the same, the engine has them.
   */
  async reading(answer: Uint8Array): Promise<TrafficReading> {
    const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
    const reader = new BinaryReader(bytes);
    const reading: Reading = { users: new Map(), inbounds: new Map(), outbounds: new Map() };
    for (let count = 1; reader.pos < bytes.length; count += 1) {
      const tag = reader.uint32();
      if (tag === STAT) this.readCounter(reader, bytes, reading);
      else reader.skip(tag & 7, tag >>> 3);
      if (count % SLICE === 0) await setImmediate();
    }
    return reading;
  }

  private readCounter(reader: BinaryReader, bytes: Buffer, reading: Reading): void {
    let [nameStart, nameEnd] = [0, 0];
    let value = 0n;
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === NAME) {
        const length = reader.uint32();
        nameStart = reader.pos;
        nameEnd = nameStart + length;
        reader.pos = nameEnd;
      } else if (tag === VALUE) value = BigInt(reader.uint64());
      else reader.skip(tag & 7, tag >>> 3);
    }
    for (const { suffix, cell, direction } of DIRECTIONS) {
      const keyEnd = nameEnd - suffix.length;
      if (keyEnd <= nameStart || bytes.compare(suffix, 0, suffix.length, keyEnd, nameEnd) !== 0) continue;
      const difference = this.advance(bytes.toString('latin1', nameStart, keyEnd), cell, value);
      const isUser = bytes[nameStart] === 0x75;
      if (difference !== 0n || !isUser) note(reading, bytes.toString('utf8', nameStart, keyEnd), direction, difference);
    }
  }

  /** By how much a counter grew. */
  private advance(key: string, direction: 0 | 1, value: bigint): bigint {
    let row = this.rows.get(key);
    if (row === undefined) {
      row = this.rows.size;
      this.rows.set(key, row);
      if (this.rows.size * 2 > this.values.length) {
        const larger = new BigUint64Array(this.values.length * 2);
        larger.set(this.values);
        this.values = larger;
      }
    }
    const cell = row * 2 + direction;
    const last = this.values[cell] ?? 0n;
    if (value === last) return 0n;
    this.values[cell] = value;
    // A counter that shrank was begun anew.
    return value > last ? value - last : value;
  }
}

/** Without the node's own names, and what it does not know; an alias counts as what it stands for. */
function note(reading: Reading, key: string, direction: keyof Bytes, difference: bigint): void {
  const [, kind = '', given = ''] = /^(\w+)>>>(.*)$/s.exec(key) ?? [];
  const book = BOOKS.get(kind);
  const name = isReserved(given) ? withoutAliases(given) : given;
  if (book === undefined || isReserved(name)) return;
  const bytes = reading[book].get(name) ?? { uplink: 0n, downlink: 0n };
  bytes[direction] += difference;
  reading[book].set(name, bytes);
}
