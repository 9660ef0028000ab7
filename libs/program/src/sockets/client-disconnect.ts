import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Error codes of streams and sockets whose other side has disconnected. */
const CODES = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ABORT_ERR']);

/** The state of a response: of HTTP/1.1 itself and its socket, of HTTP/2 its stream. */
interface ResponseState {
  readonly destroyed?: boolean;
  readonly stream?: { readonly destroyed: boolean };
  readonly req?: { readonly httpVersionMajor: number; readonly socket: Pick<Socket, 'destroyed'> };
}

/** Whether an error only means that the client has disconnected before it was answered. Such errors need no log line. */
export function isClientDisconnect(error: unknown, response: ResponseState): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return CODES.has(String(code)) && isClosed(response);
}

/**
 * Calls back once, when a response has ended or its connection is closed; at once when it is closed already. Of requests
 * that are pipelined over HTTP/1.1, only the first response emits `close` with the connection: the socket is observed too.
 */
export function whenResponseCloses(response: ServerResponse, callback: () => void): void {
  if (isClosed(response)) {
    callback();
    return;
  }
  const socket = response.req.httpVersionMajor === 1 ? response.req.socket : undefined;
  const close = (): void => {
    response.off('close', close);
    socket?.off('close', close);
    callback();
  };
  response.once('close', close);
  // Each waiting request adds a listener to the socket.
  socket?.setMaxListeners(0).once('close', close);
}

/** A socket that was reset is destroyed before its response is. */
const isClosed = ({ destroyed, stream, req }: ResponseState): boolean =>
  destroyed === true || stream?.destroyed === true || (req?.httpVersionMajor === 1 && req.socket.destroyed);
