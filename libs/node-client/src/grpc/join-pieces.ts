import { StreamDecoder } from '@grpc/grpc-js/build/src/stream-decoder.js';

/** Pieces of an unfinished message that may be apart, beside one for each so many bytes that were joined before. */
const MAX_PIECES = 1_024;
const JOINED_BYTES_PER_PIECE = 512;

/** The parts of the decoder that grpc-js keeps to itself. */
interface Decoder {
  readPartialMessage: Buffer[];
  write(data: Buffer): Buffer[];
}

const decoder = StreamDecoder.prototype as unknown as Decoder;
const { write } = decoder;

/**
 * Makes grpc-js join the DATA frames of an unfinished message from time to time, each time after more of them, so that this takes
 * linear time. It keeps each frame by itself: frames of one byte would take a hundred times the memory of the message. This is a
 * call, because bundlers leave out a module that is imported for its effect alone.
 */
export function joinSmallPieces(): void {
  decoder.write = function joinPieces(data) {
    const messages = write.call(this, data);
    const pieces = this.readPartialMessage;
    const [first] = pieces;
    if (first && pieces.length > MAX_PIECES + first.length / JOINED_BYTES_PER_PIECE)
      this.readPartialMessage = [Buffer.concat(pieces)];
    return messages;
  };
}
