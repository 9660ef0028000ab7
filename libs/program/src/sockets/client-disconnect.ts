import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How streams and sockets say that the other side has gone. */
const CODES = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ABORT_ERR']);

/** What is known of an answer: of HTTP/1.1 itself and its socket, of HTTP/2 by its stream. */
interface Answer {
  readonly destroyed?: boolean;
  readonly stream?: { readonly destroyed: boolean };
  readonly req?: { readonly httpVersionMajor: number; readonly socket: Pick<Socket, 'destroyed'> };
}

/** Whether an error is only that the client has gone before it was answered: nobody has to mend that. */
export function isClientDisconnect(error: unknown, answer: Answer): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return CODES.has(String(code)) && isClosed(answer);
}

/**
 * Calls back once, when an answer has ended or its connection is closed; at once where it is already. Of requests that were
 * sent together over HTTP/1.1, only the first answer hears that the connection is closed: the others wait for its socket.
 */
export function whenAnswerCloses(answer: ServerResponse, callback: () => void): void {
  if (isClosed(answer)) {
    callback();
    return;
  }
  const socket = answer.req.httpVersionMajor === 1 ? answer.req.socket : undefined;
  const close = (): void => {
    answer.off('close', close);
    socket?.off('close', close);
    callback();
  };
  answer.once('close', close);
  // Each of the requests that wait listens here.
  socket?.setMaxListeners(0).once('close', close);
}

/** A socket that was reset is destroyed before its answer hears of it. */
const isClosed = ({ destroyed, stream, req }: Answer): boolean =>
  destroyed === true || stream?.destroyed === true || (req?.httpVersionMajor === 1 && req.socket.destroyed);
