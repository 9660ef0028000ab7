const HEADER_BYTES = 9;
const NO_BYTES = Buffer.alloc(0);

const PRIORITY = 0x2;
/** Frames of HTTP/2 (RFC 9113) that a server has a reason to send, with the lengths that their payloads may have. */
const FRAMES = new Map<number, (length: number) => boolean>([
  [0x0, () => true], // DATA
  [0x1, () => true], // HEADERS
  [0x3, (length) => length === 4], // RST_STREAM
  [0x4, (length) => length % 6 === 0], // SETTINGS
  [0x6, (length) => length === 8], // PING
  [0x7, (length) => length >= 8], // GOAWAY
  [0x8, (length) => length === 4], // WINDOW_UPDATE
  [0x9, () => true], // CONTINUATION
]);
const LAST_TYPE = 0x9;
/** So many bytes of frames that the protocol allows and nobody needs are left out of a connection. */
const MAX_LEFT_OUT_BYTES = 64 * 1024;

/** The text of the error of calls on a connection with frames that no node sends. */
export const FORBIDDEN_FRAMES = 'the node sends HTTP/2 frames that no node sends';

/**
 * Takes frames out of what an HTTP/2 server sends that a gRPC client has no use for, before Node.js sees them: it keeps each
 * origin of ORIGIN frames (RFC 8336), and with nghttp2 before 1.68.1 it aborts at some ALTSVC frames (RFC 7838).
 */
export class FrameFilter {
  /** The beginning of a header. */
  private header: Buffer = NO_BYTES;
  /** Number of bytes that are missing of the payload of the current frame. */
  private missing = 0;
  private isLeftOut = false;
  private leftOutBytes = 0;

  /**
   * Returns what the client gets of the next bytes of the server.
   *
   * @throws Error for a frame that breaks the protocol, and for too many that are left out
   */
  pass(bytes: Buffer): Buffer {
    const passed: Buffer[] = [];
    let rest = bytes;
    while (rest.length > 0) {
      const isPayload = this.missing > 0;
      const part = rest.subarray(0, isPayload ? this.missing : HEADER_BYTES - this.header.length);
      rest = rest.subarray(part.length);
      const piece = isPayload ? part : this.wholeHeader(part);
      if (isPayload) this.missing -= part.length;
      if (piece && !this.isLeftOut) passed.push(piece);
    }
    return Buffer.concat(passed);
  }

  /** Returns the header of a frame once all its bytes are there. */
  private wholeHeader(part: Buffer): Buffer | undefined {
    const header = Buffer.concat([this.header, part]);
    if (header.length < HEADER_BYTES) {
      this.header = header;
      return undefined;
    }
    this.header = NO_BYTES;
    const type = header[3] ?? 0;
    this.missing = header.readUIntBE(0, 3);
    this.isLeftOut = type === PRIORITY || type > LAST_TYPE;
    if (this.isLeftOut) this.leftOutBytes += HEADER_BYTES + this.missing;
    const isAllowed = this.isLeftOut ? this.leftOutBytes <= MAX_LEFT_OUT_BYTES : FRAMES.get(type)?.(this.missing);
    if (!isAllowed) throw new Error(FORBIDDEN_FRAMES);
    return header;
  }
}
