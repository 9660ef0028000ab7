import { BinaryReader } from '@bufbuild/protobuf/wire';
import { messageOf } from '@rampart/program';
import { NodeError } from '../../errors/node-error.js';
import { decodeUsersChunk, type RawUsersChunk } from '../../wire/raw-messages.js';

interface Frame {
  readonly begins: number;
  readonly ends: number;
}

/**
 * Decodes a body of chunks, each of which follows its length, as a varint or as four bytes in big-endian order. The
 * first byte tells which: a chunk has at least one byte, so a varint is not 0, while a length below 16 MiB in four
 * bytes begins with 0.
 */
export async function* readChunkFrames(body: Uint8Array): AsyncGenerator<RawUsersChunk, void, void> {
  const next = body[0] === 0 ? readFixedFrame : readVarintFrame;
  for (let at = 0; at < body.length; ) {
    const { begins, ends } = next(body, at);
    at = ends;
    if (begins < ends) yield decodeChunk(body.subarray(begins, ends));
  }
}

function readVarintFrame(body: Uint8Array, at: number): Frame {
  const reader = new BinaryReader(body.subarray(at, at + 10));
  try {
    return payloadFrame(body, reader.uint64(), () => at + reader.pos);
  } catch (cause) {
    if (cause instanceof NodeError) throw cause;
    throw new NodeError('INVALID_ARGUMENT', `failed to read chunk length: no varint at byte ${at}`, { cause });
  }
}

function readFixedFrame(body: Uint8Array, at: number): Frame {
  const begins = at + 4;
  if (begins > body.length) {
    throw new NodeError('INVALID_ARGUMENT', `failed to read chunk length: the body ends at byte ${body.length}`);
  }
  return payloadFrame(body, new DataView(body.buffer, body.byteOffset + at, 4).getUint32(0), () => begins);
}

function payloadFrame(body: Uint8Array, length: number | bigint | string, begin: () => number): Frame {
  const begins = begin();
  const ends = begins + Number(length);
  if (ends <= body.length) return { begins, ends };
  const rest = body.length - begins;
  throw new NodeError('INVALID_ARGUMENT', `failed to read chunk payload: ${length} bytes announced, ${rest} there`);
}

function decodeChunk(bytes: Uint8Array): RawUsersChunk {
  try {
    return decodeUsersChunk(bytes);
  } catch (cause) {
    if (cause instanceof NodeError) throw cause;
    const reason = messageOf(cause);
    throw new NodeError('INVALID_ARGUMENT', `failed to decode chunk: ${reason}`, { cause });
  }
}
