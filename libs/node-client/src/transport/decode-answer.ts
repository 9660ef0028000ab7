import { WireType } from '@bufbuild/protobuf/wire';
import { NodeClientError } from '../errors/node-client-error.js';
import type { UnaryCall } from './node-transport.js';

/** Number of fields that are decoded at once, in some milliseconds; others get their turn in between. */
const SLICE_FIELDS = 2_000;
/** Maximum size of one field, which is decoded at once. */
const MAX_FIELD_BYTES = 1024 * 1024;
/** Maximum length of a varint in bytes. */
const MAX_VARINT_BYTES = 10;

/** The part of an answer that is decoded, cut between its fields. */
interface Slices {
  readonly parts: readonly Uint8Array[];
  /** Number of fields behind the last part. */
  readonly leftOut: number;
}

/**
 * Decodes an answer of a node. Its fields are counted before anything is built of them, and many are decoded in several
 * turns of the event loop, so that no answer holds up other work.
 *
 * @throws NodeClientError `TOO_LARGE` for more fields than the call has, `PROTOCOL` for bytes that are not its message
 */
export async function decodeAnswer<Q, R extends object>(
  { responseDeserialize, maxFields, leftOut, path }: UnaryCall<Q, R>,
  bytes: Uint8Array,
): Promise<R> {
  const rpc = path.slice(path.lastIndexOf('/') + 1);
  const { parts, ...rest } = sliced(bytes, maxFields, rpc, leftOut !== undefined);
  if (rest.leftOut > 0) leftOut?.(rest.leftOut);
  const decode = (part: Uint8Array): R => {
    try {
      return responseDeserialize(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    } catch (cause) {
      throw notTheMessage(rpc, cause);
    }
  };
  const [first = new Uint8Array(), ...others] = parts;
  const answer = decode(first);
  if (others.length === 0) return answer;
  const empty = decode(new Uint8Array());
  for (const part of others) {
    await new Promise(setImmediate);
    merge(answer, decode(part), empty);
  }
  return answer;
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

function sliced(bytes: Uint8Array, maxFields: number, rpc: string, leavesOut: boolean): Slices {
  const parts: Uint8Array[] = [];
  let begin = 0;
  let fields = 0;
  for (let at = 0; at < bytes.length; fields += 1) {
    if (fields === maxFields) {
      if (!leavesOut) throw new NodeClientError('TOO_LARGE', `the answer to ${rpc} has more than ${maxFields} entries`);
      parts.push(bytes.subarray(begin, at));
      return { parts, leftOut: countFields(bytes, at, rpc) };
    }
    if (fields > 0 && fields % SLICE_FIELDS === 0) {
      parts.push(bytes.subarray(begin, at));
      begin = at;
    }
    at = fieldEnd(bytes, at, rpc);
  }
  parts.push(bytes.subarray(begin));
  return { parts, leftOut: 0 };
}

function countFields(bytes: Uint8Array, from: number, rpc: string): number {
  let fields = 0;
  for (let at = from; at < bytes.length; fields += 1) at = fieldEnd(bytes, at, rpc);
  return fields;
}

/** The position behind the field that begins at a position. */
function fieldEnd(bytes: Uint8Array, at: number, rpc: string): number {
  const [tag, content] = varint(bytes, at, rpc);
  const end = contentEnd(bytes, tag & 7, content, rpc);
  if (end > bytes.length) throw notTheMessage(rpc);
  if (end - content > MAX_FIELD_BYTES) {
    throw new NodeClientError('TOO_LARGE', `the answer to ${rpc} has an entry of more than ${MAX_FIELD_BYTES} bytes`);
  }
  return end;
}

function contentEnd(bytes: Uint8Array, type: WireType, at: number, rpc: string): number {
  switch (type) {
    case WireType.Varint:
      return varint(bytes, at, rpc)[1];
    case WireType.Bit64:
      return at + 8;
    case WireType.Bit32:
      return at + 4;
    case WireType.LengthDelimited: {
      const [length, content] = varint(bytes, at, rpc);
      return content + length;
    }
    default:
      throw notTheMessage(rpc);
  }
}

/** An unsigned integer and the position behind it. Beyond 32 bits the value is only known to be large. */
function varint(bytes: Uint8Array, at: number, rpc: string): [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) throw notTheMessage(rpc);
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return [value, at + index + 1];
  }
  throw notTheMessage(rpc);
}

const notTheMessage = (rpc: string, cause?: unknown): NodeClientError =>
  new NodeClientError('PROTOCOL', `the answer to ${rpc} is not the message it should be`, { cause });
