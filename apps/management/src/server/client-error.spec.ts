import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answerClientError } from './client-error.js';

describe(answerClientError.name, () => {
  let failing: Socket;
  let client: Socket;
  let close: () => void;
  beforeEach(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect(Object(server.address() satisfies AddressInfo | string | null).port, '127.0.0.1');
    [failing] = await once(server, 'connection');
    close = () => server.close();
  });
  afterEach(() => close());

  const fail = (code: string) =>
    answerClientError(
      Object.assign(new Error('words of the library'), {
        code,
        bytesParsed: 0,
        rawPacket: { type: 'Buffer', data: [] },
      }),
      failing,
    );

  it.each([
    [
      'ERR_HTTP_REQUEST_TIMEOUT',
      'HTTP/1.1 408 Request Timeout',
      'The request did not arrive in time',
      'REQUEST_TIMEOUT',
    ],
    [
      'HPE_HEADER_OVERFLOW',
      'HTTP/1.1 431 Request Header Fields Too Large',
      'The headers are too large',
      'HEADERS_TOO_LARGE',
    ],
    ['HPE_INVALID_METHOD', 'HTTP/1.1 400 Bad Request', 'This is no HTTP request', 'NOT_HTTP'],
  ])('answers %s and closes', async (code, line, detail, ours) => {
    fail(code);
    const answer = await text(client);
    const [head = '', body] = answer.split('\r\n\r\n');
    expect(head.split('\r\n')[0]).toBe(line);
    expect(head).toContain('\r\nconnection: close');
    expect(body).toBe(JSON.stringify({ detail, code: ours }));
  });

  it('writes nothing to a closed socket', async () => {
    fail('ECONNRESET');
    expect(await text(client)).toBe('');
    expect(failing.destroyed).toBe(true);
  });
});
