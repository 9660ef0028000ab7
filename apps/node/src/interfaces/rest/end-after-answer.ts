import type { Socket } from 'node:net';

/** In which the peer may read the last answer. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Reads nothing more from the socket of an HTTP/1.1 server, which ends after the answer that is being written. It is not
 * closed at once: a peer that still sends would then get an error instead of the answer.
 */
export function endAfterAnswer(socket: Socket): void {
  const pause = (): void => void socket.pause();
  // The server reads what is left of a body, to throw it away.
  socket.on('resume', pause);
  pause();
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  };
}
