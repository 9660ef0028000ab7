import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { ManagementError, type ManagementErrorCode } from '../errors/management-error.js';
import { ANSWER_HEADERS } from './answer-headers.js';

const CODES: Readonly<Record<string, ManagementErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
};

/** Answers errors that occur before there is a request, such as malformed HTTP. Only the socket exists then, no reply. */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  // After a failure of TLS or of the connection, no answer could be read.
  if (error.code === 'ECONNRESET' || /^ERR_(SSL|TLS)_/.test(error.code) || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, detail, code } = new ManagementError(CODES[error.code] ?? 'NOT_HTTP');
  const body = JSON.stringify({ detail, code });
  const headers = {
    ...ANSWER_HEADERS,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
    'content-type': 'application/json; charset=utf-8',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // The rest of what the client sends is not read, because it may never end.
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'), () => socket.destroy());
}
