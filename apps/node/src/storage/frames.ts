import { crc32 } from 'node:zlib';

/** Size of the header of each frame: the payload's length, and a checksum of length and payload. */
export const FRAME_HEADER_BYTES = 8;
/** A message has at most 64 MiB and a record a little more; a greater length means damage. */
const MAX_PAYLOAD_BYTES = 65 * 1024 * 1024;

/**
 * Encodes a payload with its header. The payload must not be empty, since a tail of zeros would look like empty frames.
 */
export function encodeFrame(payload: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  framed.writeUInt32LE(payload.length, 0);
  framed.set(payload, FRAME_HEADER_BYTES);
  framed.writeUInt32LE(frameChecksum(framed), 4);
  return framed;
}

/** Splits a stream of bytes into the payloads of its frames, up to the first damaged or incomplete one. */
export class FrameReader {
  private rest: Uint8Array = Buffer.alloc(0);
  private intact = 0;
  private damaged = false;

  /** Returns the payloads that are complete now, as views of the chunk where possible. */
  readFrames(chunk: Uint8Array): Uint8Array[] {
    if (this.damaged) return [];
    const bytes = this.rest.length === 0 ? asBuffer(chunk) : Buffer.concat([this.rest, chunk]);
    const payloads: Uint8Array[] = [];
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const intactBytes = bytes.readUInt32LE(at);
      if (intactBytes === 0 || intactBytes > MAX_PAYLOAD_BYTES) this.damaged = true;
      else if (at + FRAME_HEADER_BYTES + intactBytes <= bytes.length) {
        const framed = bytes.subarray(at, at + FRAME_HEADER_BYTES + intactBytes);
        if (framed.readUInt32LE(4) !== frameChecksum(framed)) this.damaged = true;
        else payloads.push(framed.subarray(FRAME_HEADER_BYTES));
      } else break;
      if (this.damaged) break;
      at += FRAME_HEADER_BYTES + intactBytes;
    }
    this.intact += at;
    this.rest = bytes.subarray(at);
    return payloads;
  }

  /** Number of bytes of the stream that are complete frames. */
  get length(): number {
    return this.intact;
  }

  /** True when the stream has damaged bytes, as opposed to a last frame that is incomplete. */
  get corrupt(): boolean {
    return this.damaged;
  }
}

function frameChecksum(framed: Buffer): number {
  return crc32(framed.subarray(FRAME_HEADER_BYTES), crc32(framed.subarray(0, 4)));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
