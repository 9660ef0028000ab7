import type { Socket } from 'node:net';

/** Time in which the peer may read the answer. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Stops reading from the socket of an HTTP/1.1 server and ends it after the current answer. It is not closed at once,
 * since a peer that still sends would then get an error instead of the answer.
 */
export function endAfterAnswer(socket: Socket): void {
  const pause = (): void => void socket.pause();
  // The server would resume the socket to discard the rest of a body.
  socket.on('resume', pause);
  pause();
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  };
}
