import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Authenticate } from '../auth/authenticator.js';

/** Time in which the peer may read the answer. */
const CLOSE_GRACE_MS = 1_000;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Makes a listener of an HTTP/1.1 server end a connection after the answer to its first request without the key. Requests
 * that were read together with that one are not looked at.
 */
export function endWithoutKey(listener: Listener, hasKey: Authenticate): Listener {
  const ending = new WeakSet<Socket>();
  return (request, response) => {
    const { socket, headers } = request;
    if (ending.has(socket)) return;
    if (!hasKey((name) => headers[name]?.toString())) {
      ending.add(socket);
      endAfterAnswer(socket);
    }
    listener(request, response);
  };
}

/**
 * Stops reading from the socket of an HTTP/1.1 server and ends it after the current answer. It is not closed at once,
 * since a peer that still sends would then get an error instead of the answer.
 */
function endAfterAnswer(socket: Socket): void {
  // The server's own listener would go on with what was read already.
  socket.removeAllListeners('data');
  const pause = (): void => void socket.pause();
  // The server would resume the socket to discard the rest of a body.
  socket.on('resume', pause);
  pause();
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  };
}
