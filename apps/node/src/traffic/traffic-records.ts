import type { TrafficBytes, TrafficGroup } from '../backend/backend.js';

export const TRAFFIC_GROUPS = ['users', 'inbounds', 'outbounds'] as const satisfies readonly TrafficGroup[];

export interface CountersHead {
  readonly ledger: string;
  /** Number of the last sealed batch. */
  readonly number: bigint;
  /** Unix seconds; undefined when no batch is sealed. */
  readonly sealedAt: bigint | undefined;
}

/** A record of the traffic file, which holds the state and then its changes. */
export type TrafficRecord =
  | ({ readonly kind: 'head' } & CountersHead)
  | { readonly kind: 'rows'; readonly rows: readonly TrafficRow[] }
  | { readonly kind: 'seal'; readonly at: bigint }
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'reset'; readonly group: TrafficGroup; readonly name?: string }
  | { readonly kind: 'runBegan' | 'runEnded'; readonly run: string }
  /** Bytes that a run of an engine has reported; columns that they belong to besides. */
  | { readonly kind: 'runRows'; readonly run: string; readonly rows: readonly TrafficRow[] };

/** Bytes that are added to columns of a name; `columns` is a bit mask. */
export interface TrafficRow extends TrafficBytes {
  readonly group: TrafficGroup;
  readonly columns: number;
  readonly name: string;
}

const KINDS = [
  ...(['head', 'rows', 'seal', 'acknowledge', 'reset'] as const),
  ...(['runBegan', 'runRows', 'runEnded'] as const),
] as const satisfies readonly TrafficRecord['kind'][];
/** Size of a row without its name: group, columns, both counters and the length of the name. */
const ROW_HEAD_BYTES = 1 + 1 + 8 + 8 + 4;
const NOT_SEALED = 2n ** 64n - 1n;

export function encodeRecord(record: TrafficRecord): Buffer {
  const kind = Buffer.from([KINDS.indexOf(record.kind)]);
  switch (record.kind) {
    case 'head':
      return Buffer.concat([
        kind,
        uint64(record.number),
        uint64(record.sealedAt ?? NOT_SEALED),
        Buffer.from(record.ledger),
      ]);
    case 'rows':
      return Buffer.concat([kind, encodeRows(record.rows)]);
    case 'runRows':
      return Buffer.concat([kind, encodeRun(record.run), encodeRows(record.rows)]);
    case 'runBegan':
    case 'runEnded':
      return Buffer.concat([kind, encodeRun(record.run)]);
    case 'seal':
      return Buffer.concat([kind, uint64(record.at)]);
    case 'acknowledge':
      return kind;
    case 'reset': {
      const group = Buffer.from([TRAFFIC_GROUPS.indexOf(record.group)]);
      return Buffer.concat([kind, group, Buffer.from(record.name ?? '')]);
    }
  }
}

/** @throws RangeError when the bytes were not made by `encodeRecord` */
export function decodeRecord(bytes: Uint8Array): TrafficRecord {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = KINDS[buffer.readUInt8(0)];
  switch (kind) {
    case 'head': {
      const sealedAt = buffer.readBigUInt64LE(9);
      const number = buffer.readBigUInt64LE(1);
      return {
        kind,
        number,
        sealedAt: sealedAt === NOT_SEALED ? undefined : sealedAt,
        ledger: buffer.toString('utf8', 17),
      };
    }
    case 'rows':
      return { kind, rows: decodeRows(buffer.subarray(1)) };
    case 'runRows': {
      const run = decodeRun(buffer);
      return { kind, run, rows: decodeRows(buffer.subarray(1 + encodeRun(run).length)) };
    }
    case 'runBegan':
    case 'runEnded':
      return { kind, run: decodeRun(buffer) };
    case 'seal':
      return { kind, at: buffer.readBigUInt64LE(1) };
    case 'acknowledge':
      return { kind };
    case 'reset': {
      const name = buffer.toString('utf8', 2);
      return { kind, group: groupAt(buffer.readUInt8(1)), ...(name === '' ? {} : { name }) };
    }
    default:
      throw new RangeError(`no record of traffic is of kind ${buffer[0]}`);
  }
}

function encodeRows(rows: readonly TrafficRow[]): Buffer {
  let length = 0;
  for (const { name } of rows) length += ROW_HEAD_BYTES + Buffer.byteLength(name);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { group, columns, name, uplink, downlink } of rows) {
    at = bytes.writeUInt8(TRAFFIC_GROUPS.indexOf(group), at);
    at = bytes.writeUInt8(columns, at);
    at = bytes.writeBigUInt64LE(uplink, at);
    at = bytes.writeBigUInt64LE(downlink, at);
    const written = bytes.write(name, at + 4);
    at = bytes.writeUInt32LE(written, at) + written;
  }
  return bytes;
}

function decodeRows(bytes: Buffer): TrafficRow[] {
  const rows: TrafficRow[] = [];
  for (let at = 0; at < bytes.length; ) {
    const nameLength = bytes.readUInt32LE(at + 18);
    rows.push({
      group: groupAt(bytes.readUInt8(at)),
      columns: bytes.readUInt8(at + 1),
      uplink: bytes.readBigUInt64LE(at + 2),
      downlink: bytes.readBigUInt64LE(at + 10),
      name: bytes.toString('utf8', at + ROW_HEAD_BYTES, at + ROW_HEAD_BYTES + nameLength),
    });
    at += ROW_HEAD_BYTES + nameLength;
  }
  return rows;
}

/** The id of a run after its length, which takes one byte. */
function encodeRun(run: string): Buffer {
  const id = Buffer.from(run);
  return Buffer.concat([Buffer.from([id.length]), id]);
}

function decodeRun(record: Buffer): string {
  const end = 2 + record.readUInt8(1);
  if (end > record.length) throw new RangeError('the id of a run is cut off');
  return record.toString('utf8', 2, end);
}

function groupAt(index: number): TrafficGroup {
  const group = TRAFFIC_GROUPS[index];
  if (group === undefined) throw new RangeError(`no group of traffic has number ${index}`);
  return group;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
