import { setImmediate } from 'node:timers/promises';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { TrafficBytes, TrafficGroup, TrafficReading } from '../../backend.js';
import { isReserved, withoutAliases } from '../names/reserved.js';
import { NameRows } from './name-rows.js';

const GROUPS = new Map<string, TrafficGroup>([
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
/** Each row has two counters, and each counter a lower and an upper half of 32 bits. */
const HALVES_PER_ROW = 4;
const STAT_TAG = (1 << 3) | WireType.LengthDelimited;
const NAME_TAG = STAT_TAG;
const VALUE_TAG = (2 << 3) | WireType.Varint;

type MutableReading = Record<TrafficGroup, Map<string, TrafficBytes>>;

/**
 * What has been counted already before the first reading, by name; `everything` where that is not known: then the first
 * reading counts nothing.
 */
export type CountedBefore = Readonly<Record<TrafficGroup, ReadonlyMap<string, TrafficBytes>>> | 'everything';

/**
 * Differences of the counters of one run of the engine. The engine's counters are never reset, so that an answer that
 * is lost on its way loses no bytes: the next one contains them.
 */
export class CounterDifferences {
  private readonly rows = new NameRows();
  /** What the counters of each row were when they were last read. */
  private values = new Uint32Array(INITIAL_ROWS * HALVES_PER_ROW);

  constructor(private countedBefore?: CountedBefore) {}

  /**
   * Decodes a QueryStatsResponse without generated code: with 100,000 users it has 8 MB, most of which are names of
   * unchanged counters. Users without new bytes are left out; inbound and outbound tags are always included.
   */
  async readDifferences(answer: Uint8Array): Promise<TrafficReading> {
    const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
    const reader = new BinaryReader(bytes);
    const reading: MutableReading = { users: new Map(), inbounds: new Map(), outbounds: new Map() };
    let counters = 0;
    while (reader.pos < bytes.length) {
      const tag = reader.uint32();
      if (tag === STAT_TAG) this.readCounterField(reader, bytes, reading);
      else reader.skip(tag & 7, tag >>> 3);
      counters += 1;
      if (counters % COUNTERS_PER_TURN === 0) await setImmediate();
    }
    if (this.countedBefore !== undefined) subtract(reading, this.countedBefore);
    this.countedBefore = undefined;
    return { ...reading, counters };
  }

  private readCounterField(reader: BinaryReader, bytes: Buffer, reading: MutableReading): void {
    let [nameStart, nameEnd, low, high] = [0, 0, 0, 0];
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === NAME_TAG) {
        const length = reader.uint32();
        nameStart = reader.pos;
        nameEnd = nameStart + length;
        reader.pos = nameEnd;
      } else if (tag === VALUE_TAG) [low, high] = readHalves(reader, bytes);
      else reader.skip(tag & 7, tag >>> 3);
    }
    for (const { suffix, cell, direction } of DIRECTIONS) {
      const keyEnd = nameEnd - suffix.length;
      if (keyEnd <= nameStart || !hasAt(bytes, keyEnd, suffix)) continue;
      const difference = this.differenceOf(this.rows.rowOf(bytes, nameStart, keyEnd), cell, low, high);
      const isUser = bytes[nameStart] === 0x75;
      if (difference !== 0n || !isUser)
        addDifference(reading, bytes.toString('utf8', nameStart, keyEnd), direction, difference);
    }
  }

  /** The bytes by which a counter grew since the last reading. */
  private differenceOf(row: number, direction: 0 | 1, low: number, high: number): bigint {
    const cell = row * HALVES_PER_ROW + direction * 2;
    if (cell >= this.values.length) {
      const larger = new Uint32Array(Math.max(this.values.length, cell) * 2);
      larger.set(this.values);
      this.values = larger;
    }
    const [lastLow = 0, lastHigh = 0] = [this.values[cell], this.values[cell + 1]];
    if (low === lastLow && high === lastHigh) return 0n;
    this.values[cell] = low;
    this.values[cell + 1] = high;
    const [value, last] = [joined(low, high), joined(lastLow, lastHigh)];
    // A counter that shrank was restarted from zero.
    return value > last ? value - last : value;
  }
}

const joined = (low: number, high: number): bigint => (BigInt(high) << 32n) | BigInt(low);

function hasAt(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (bytes[start + index] !== text[index]) return false;
  }
  return true;
}

/** The lower and upper 32 bits of a number of 64 bits, without the object that it would be. */
function readHalves(reader: BinaryReader, bytes: Uint8Array): [low: number, high: number] {
  let [low, high] = [0, 0];
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[reader.pos];
    if (byte === undefined || shift > 63) throw new RangeError('a counter of the engine is cut off');
    reader.pos += 1;
    const bits = byte & 0x7f;
    if (shift < 32) low |= bits << shift;
    if (shift === 28) high |= bits >>> 4;
    if (shift > 28) high |= bits << (shift - 32);
    if (byte < 0x80) return [low >>> 0, high >>> 0];
  }
}

/** Subtracts by name and not by counter: several counters of the engine may stand for one name. */
function subtract(reading: MutableReading, before: CountedBefore): void {
  for (const group of GROUPS.values()) {
    for (const [name, bytes] of reading[group]) {
      const known = before === 'everything' ? bytes : before[group].get(name);
      if (known === undefined) continue;
      const uplink = bytes.uplink - known.uplink;
      const downlink = bytes.downlink - known.downlink;
      const left = { uplink: uplink > 0n ? uplink : 0n, downlink: downlink > 0n ? downlink : 0n };
      if (group === 'users' && left.uplink === 0n && left.downlink === 0n) reading[group].delete(name);
      else reading[group].set(name, left);
    }
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
