import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { NodeClientError } from '../errors/node-client-error.js';
import { nextTurn } from './next-turn.js';
import type { UnaryCall } from './node-transport.js';

/** Number of fields that are decoded at once, in some milliseconds; others get their turn in between. */
const SLICE_FIELDS = 2_000;
/** Number of fields that are skipped at once, in some milliseconds. */
const SKIPPED_FIELDS = 20_000;
/** Number of bytes that are decoded at once, and those of the field that exceeds them. */
const SLICE_BYTES = 64 * 1024;
/** Unknown fields of an answer, as newer nodes send them: so many, and so many more for each entry of a list. */
const MAX_UNKNOWN_FIELDS = 100;
const MAX_UNKNOWN_FIELDS_OF_ENTRY = 8;
/** Maximum length of a varint in bytes. */
const MAX_VARINT_BYTES = 10;

/** The part of an answer that is decoded, cut between its fields. */
interface Slices {
  readonly parts: readonly Uint8Array[];
  /** Number of fields behind the last part. */
  readonly leftOut: number;
}

/**
 * Decodes an answer of a node. Its fields are counted before anything is built of them, and many or long ones are decoded in
 * several turns of the event loop, so that no answer holds up other work.
 *
 * @throws NodeClientError `TOO_LARGE` for more or longer fields than the call has, `PROTOCOL` for bytes that are not its message
 */
export async function decodeAnswer<Q, R extends object>(call: UnaryCall<Q, R>, bytes: Uint8Array): Promise<R> {
  const rpc = call.path.slice(call.path.lastIndexOf('/') + 1);
  const { parts, leftOut } = await sliced(bytes, call, rpc);
  if (leftOut > 0) call.leftOut?.(leftOut);
  let unknownFields = 0;
  let entries = 0;
  const decode = (part: Uint8Array): R => {
    const reader = new CountingReader(part);
    const decoded = decoding(rpc, () => call.answer.decode(reader));
    unknownFields += reader.unknownFields;
    entries += entriesOf(decoded);
    if (unknownFields > MAX_UNKNOWN_FIELDS + MAX_UNKNOWN_FIELDS_OF_ENTRY * entries) throw notTheMessage(rpc);
    return decoded;
  };
  const [first = new Uint8Array(), ...others] = parts;
  const answer = decode(first);
  if (others.length === 0) return answer;
  const empty = decode(new Uint8Array());
  for (const part of others) {
    await nextTurn();
    merge(answer, decode(part), empty);
  }
  return answer;
}

/**
 * Decodes one of many messages that have no lists, unless it has so many fields that this would take long.
 *
 * @throws NodeClientError `PROTOCOL`
 */
export function decodeFewFields<R>(rpc: string, message: UnaryCall<never, R>['answer'], bytes: Uint8Array): R {
  const fields = new Fields(bytes, bytes.length, rpc);
  for (let count = 0; !fields.isAtEnd; count += 1) {
    if (count === MAX_UNKNOWN_FIELDS) throw notTheMessage(rpc);
    fields.skip();
  }
  return decoding(rpc, () => message.decode(bytes));
}

function decoding<R>(rpc: string, decode: () => R): R {
  try {
    return decode();
  } catch (cause) {
    throw notTheMessage(rpc, cause);
  }
}

/** Counts the fields that a message does not have, at any depth. */
class CountingReader extends BinaryReader {
  unknownFields = 0;

  override skip(wireType: WireType, fieldNumber?: number): Uint8Array {
    this.unknownFields += 1;
    return super.skip(wireType, fieldNumber);
  }
}

/** The entries of all lists and tables of a message. */
function entriesOf(message: object): number {
  let count = 0;
  for (const value of Object.values(message) as unknown[]) {
    if (Array.isArray(value)) count += value.length;
    else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
      count += Object.keys(value).length;
  }
  return count;
}

/** As Protobuf has it for messages that are joined: lists are continued, and a later value replaces an earlier one. */
function merge<R extends object>(into: R, part: R, empty: R): void {
  for (const [name, value] of Object.entries(part)) {
    const known: unknown = Reflect.get(into, name);
    if (Array.isArray(known) && Array.isArray(value)) for (const item of value) known.push(item);
    else if (ArrayBuffer.isView(value)) value.byteLength > 0 && Reflect.set(into, name, value);
    else if (typeof value === 'object' && value !== null) Object.assign(known ?? {}, value);
    else if (value !== Reflect.get(empty, name)) Reflect.set(into, name, value);
  }
}

async function sliced(
  bytes: Uint8Array,
  {
    maxFields,
    maxFieldBytes,
    leftOut,
    list,
  }: Pick<UnaryCall<never, never>, 'maxFields' | 'maxFieldBytes' | 'leftOut' | 'list'>,
  rpc: string,
): Promise<Slices> {
  const parts: Uint8Array[] = [];
  const fields = new Fields(bytes, maxFieldBytes, rpc);
  let begin = 0;
  let countAtBegin = 0;
  let entries = 0;
  for (let count = 0; !fields.isAtEnd; count += 1) {
    if (count === maxFields && !leftOut)
      throw new NodeClientError('TOO_LARGE', `the answer to ${rpc} has more than ${maxFields} entries`);
    if (count === maxFields) {
      parts.push(bytes.subarray(begin, fields.position));
      return { parts, leftOut: await fields.countRest() };
    }
    if (count - countAtBegin === SLICE_FIELDS || fields.position - begin >= SLICE_BYTES) {
      parts.push(bytes.subarray(begin, fields.position));
      begin = fields.position;
      countAtBegin = count;
    }
    if (count > 0 && count % SKIPPED_FIELDS === 0) await nextTurn();
    const { position } = fields;
    if (fields.skip() !== list?.field) continue;
    entries += 1;
    if (entries <= list.maxEntries) continue;
    if (position > begin) parts.push(bytes.subarray(begin, position));
    begin = fields.position;
    countAtBegin = count + 1;
  }
  parts.push(bytes.subarray(begin));
  return { parts, leftOut: 0 };
}

/** Walks over the fields of a message. */
class Fields {
  position = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly maxFieldBytes: number,
    private readonly rpc: string,
  ) {}

  get isAtEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  /** Moves behind the next field, and returns its number. */
  skip(): number {
    const key = this.varint();
    const type: WireType = key & 7;
    const content = this.position;
    if (type === WireType.LengthDelimited) {
      const length = this.varint();
      this.position += length;
    } else if (type === WireType.Varint) this.varint();
    else if (type === WireType.Bit64) this.position += 8;
    else if (type === WireType.Bit32) this.position += 4;
    else throw notTheMessage(this.rpc);
    if (this.position > this.bytes.length) throw notTheMessage(this.rpc);
    if (this.position - content > this.maxFieldBytes)
      throw new NodeClientError(
        'TOO_LARGE',
        `the answer to ${this.rpc} has an entry of more than ${this.maxFieldBytes} bytes`,
      );
    return Math.floor(key / 8);
  }

  /** Moves to the end, and returns how many fields there were. */
  async countRest(): Promise<number> {
    let count = 0;
    for (; !this.isAtEnd; count += 1) {
      if (count % SKIPPED_FIELDS === 0) await nextTurn();
      this.skip();
    }
    return count;
  }

  /** Reads an unsigned integer, of which only 53 bits are exact. */
  private varint(): number {
    let value = 0;
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
      const byte = this.bytes[this.position];
      if (byte === undefined) throw notTheMessage(this.rpc);
      this.position += 1;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw notTheMessage(this.rpc);
  }
}

const notTheMessage = (rpc: string, cause?: unknown): NodeClientError =>
  new NodeClientError('PROTOCOL', `the answer to ${rpc} is not the message it should be`, { cause });
