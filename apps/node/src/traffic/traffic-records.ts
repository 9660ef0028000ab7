import type { Bytes, TrafficReading } from '../backend/backend.js';

export type BookName = keyof TrafficReading;
export const BOOKS = ['users', 'inbounds', 'outbounds'] as const satisfies readonly BookName[];

export interface BookHead {
  readonly ledger: string;
  /** Of the last batch that was sealed. */
  readonly number: bigint;
  /** Unix seconds; undefined when no batch is sealed. */
  readonly sealedAt: bigint | undefined;
}

/** What a book of traffic consists of on disk: its state, then what happened to it. */
export type TrafficRecord =
  | ({ readonly kind: 'head' } & BookHead)
  | { readonly kind: 'rows'; readonly rows: readonly TrafficRow[] }
  | { readonly kind: 'seal'; readonly at: bigint }
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'reset'; readonly book: BookName; readonly name?: string };

/** Bytes that are added to accounts of a name; the accounts are as many bits. */
export interface TrafficRow extends Bytes {
  readonly book: BookName;
  readonly accounts: number;
  readonly name: string;
}

const KINDS = ['head', 'rows', 'seal', 'acknowledge', 'reset'] as const satisfies readonly TrafficRecord['kind'][];
/** Book, accounts, both counts and the length of the name. */
const ROW_HEAD = 1 + 1 + 8 + 8 + 4;
const NEVER = 2n ** 64n - 1n;

export function encodeRecord(record: TrafficRecord): Buffer {
  const kind = Buffer.from([KINDS.indexOf(record.kind)]);
  switch (record.kind) {
    case 'head':
      return Buffer.concat([kind, uint64(record.number), uint64(record.sealedAt ?? NEVER), Buffer.from(record.ledger)]);
    case 'rows':
      return encodeRows(record.rows);
    case 'seal':
      return Buffer.concat([kind, uint64(record.at)]);
    case 'acknowledge':
      return kind;
    case 'reset': {
      const book = Buffer.from([BOOKS.indexOf(record.book)]);
      return Buffer.concat([kind, book, Buffer.from(record.name ?? '')]);
    }
  }
}

/** @throws when the bytes are none that `encodeRecord` made */
export function decodeRecord(bytes: Uint8Array): TrafficRecord {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = KINDS[buffer.readUInt8(0)];
  switch (kind) {
    case 'head': {
      const sealedAt = buffer.readBigUInt64LE(9);
      const number = buffer.readBigUInt64LE(1);
      return { kind, number, sealedAt: sealedAt === NEVER ? undefined : sealedAt, ledger: buffer.toString('utf8', 17) };
    }
    case 'rows':
      return { kind, rows: decodeRows(buffer) };
    case 'seal':
      return { kind, at: buffer.readBigUInt64LE(1) };
    case 'acknowledge':
      return { kind };
    case 'reset': {
      const name = buffer.toString('utf8', 2);
      return { kind, book: bookOf(buffer.readUInt8(1)), ...(name === '' ? {} : { name }) };
    }
    default:
      throw new RangeError(`no record of traffic is of kind ${buffer[0]}`);
  }
}

function encodeRows(rows: readonly TrafficRow[]): Buffer {
  let length = 1;
  for (const { name } of rows) length += ROW_HEAD + Buffer.byteLength(name);
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeUInt8(KINDS.indexOf('rows'), 0);
  for (const { book, accounts, name, uplink, downlink } of rows) {
    at = bytes.writeUInt8(BOOKS.indexOf(book), at);
    at = bytes.writeUInt8(accounts, at);
    at = bytes.writeBigUInt64LE(uplink, at);
    at = bytes.writeBigUInt64LE(downlink, at);
    const written = bytes.write(name, at + 4);
    at = bytes.writeUInt32LE(written, at) + written;
  }
  return bytes;
}

function decodeRows(bytes: Buffer): TrafficRow[] {
  const rows: TrafficRow[] = [];
  for (let at = 1; at < bytes.length; ) {
    const nameLength = bytes.readUInt32LE(at + 18);
    rows.push({
      book: bookOf(bytes.readUInt8(at)),
      accounts: bytes.readUInt8(at + 1),
      uplink: bytes.readBigUInt64LE(at + 2),
      downlink: bytes.readBigUInt64LE(at + 10),
      name: bytes.toString('utf8', at + ROW_HEAD, at + ROW_HEAD + nameLength),
    });
    at += ROW_HEAD + nameLength;
  }
  return rows;
}

function bookOf(index: number): BookName {
  const book = BOOKS[index];
  if (book === undefined) throw new RangeError(`no book of traffic has number ${index}`);
  return book;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
