/** How streams and sockets say that the other side has gone. */
const CODES = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ABORT_ERR']);

/** What is known of an answer: of HTTP/1.1 itself, of HTTP/2 by its stream. */
interface Answer {
  readonly destroyed?: boolean;
  readonly stream?: { readonly destroyed: boolean };
}

/** Whether an error is only that the client has gone before it was answered: nobody has to mend that. */
export function isClientDisconnect(error: unknown, answer: Answer): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return CODES.has(String(code)) && (answer.destroyed === true || answer.stream?.destroyed === true);
}
