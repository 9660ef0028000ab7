import type { Socket } from 'node:net';

const BEAT_MS = 100;
/** A connection that is held up gets no more than this. */
const MAX_WAITING_BYTES = 262_144;

/** Writes `size` bytes to a socket ten times a second until the returned function is called, or the socket is closed. */
export function pump(socket: Socket, write: (chunk: Buffer) => void, size: number): () => void {
  const chunk = Buffer.alloc(size, 'chaos ');
  const timer = setInterval(() => {
    if (socket.writable && socket.writableLength < MAX_WAITING_BYTES) write(chunk);
  }, BEAT_MS);
  const stop = () => clearInterval(timer);
  socket.once('close', stop);
  return stop;
}
