import { setImmediate } from 'node:timers/promises';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { TrafficBytes, TrafficReading } from '../../backend.js';
import { isReserved, withoutAliases } from '../reserved.js';

const GROUPS = new Map<string, keyof TrafficReading>([
  ['user', 'users'],
  ['inbound', 'inbounds'],
  ['outbound', 'outbounds'],
]);
const DIRECTIONS = [
  { suffix: Buffer.from('>>>traffic>>>uplink'), cell: 0, direction: 'uplink' },
  { suffix: Buffer.from('>>>traffic>>>downlink'), cell: 1, direction: 'downlink' },
] as const;
/** Counters that are read in one turn of the event loop. */
const COUNTERS_PER_TURN = 20_000;
const INITIAL_ROWS = 64;
const STAT_TAG = (1 << 3) | WireType.LengthDelimited;
const NAME_TAG = STAT_TAG;
const VALUE_TAG = (2 << 3) | WireType.Varint;

type MutableReading = Record<keyof TrafficReading, Map<string, TrafficBytes>>;

/**
 * Differences of the counters of one run of the engine. The engine's counters are never reset, so that an answer that
 * is lost on its way loses no bytes: the next one contains them.
 */
export class CounterDifferences {
  private readonly rows = new Map<string, number>();
  private values = new BigUint64Array(INITIAL_ROWS * 2);

  /**
   * Decodes a QueryStatsResponse without generated code: with 100,000 users it has 8 MB, most of which are names of
   * unchanged counters. Users without new bytes are left out; inbound and outbound tags are always included.
   */
  async readDifferences(answer: Uint8Array): Promise<TrafficReading> {
    const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
    const reader = new BinaryReader(bytes);
    const reading: MutableReading = { users: new Map(), inbounds: new Map(), outbounds: new Map() };
    for (let count = 1; reader.pos < bytes.length; count += 1) {
      const tag = reader.uint32();
      if (tag === STAT_TAG) this.readCounterField(reader, bytes, reading);
      else reader.skip(tag & 7, tag >>> 3);
      if (count % COUNTERS_PER_TURN === 0) await setImmediate();
    }
    return reading;
  }

  private readCounterField(reader: BinaryReader, bytes: Buffer, reading: MutableReading): void {
    let [nameStart, nameEnd] = [0, 0];
    let value = 0n;
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === NAME_TAG) {
        const length = reader.uint32();
        nameStart = reader.pos;
        nameEnd = nameStart + length;
        reader.pos = nameEnd;
      } else if (tag === VALUE_TAG) value = BigInt(reader.uint64());
      else reader.skip(tag & 7, tag >>> 3);
    }
    for (const { suffix, cell, direction } of DIRECTIONS) {
      const keyEnd = nameEnd - suffix.length;
      if (keyEnd <= nameStart || bytes.compare(suffix, 0, suffix.length, keyEnd, nameEnd) !== 0) continue;
      const difference = this.differenceOf(bytes.toString('latin1', nameStart, keyEnd), cell, value);
      const isUser = bytes[nameStart] === 0x75;
      if (difference !== 0n || !isUser)
        addDifference(reading, bytes.toString('utf8', nameStart, keyEnd), direction, difference);
    }
  }

  /** The bytes by which a counter grew since the last reading. */
  private differenceOf(key: string, direction: 0 | 1, value: bigint): bigint {
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
    // A counter that shrank was restarted from zero.
    return value > last ? value - last : value;
  }
}

/** Skips the node's own names and unknown counters; an alias counts as the tag that it stands for. */
function addDifference(reading: MutableReading, key: string, direction: keyof TrafficBytes, difference: bigint): void {
  const [, kind = '', rawName = ''] = /^(\w+)>>>(.*)$/s.exec(key) ?? [];
  const group = GROUPS.get(kind);
  const name = isReserved(rawName) ? withoutAliases(rawName) : rawName;
  if (group === undefined || isReserved(name)) return;
  const bytes = reading[group].get(name) ?? { uplink: 0n, downlink: 0n };
  bytes[direction] += difference;
  reading[group].set(name, bytes);
}
