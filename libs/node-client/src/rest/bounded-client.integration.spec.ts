import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { createNodeClient } from '../client/create-node-client.js';
import { BaseInfoResponse } from '../gen/service.js';
import { type Issued, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { BoundedClient } from './bounded-client.js';

const PROTOCOL = {
  code: 'PROTOCOL',
  message: 'the node sends much beside the bodies of its answers',
  retryable: false,
};
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
/** What a connection may read before it ends, with what lies in buffers on the way. */
const MAX_SENT = 16 * 2 ** 20;

let certificate: Issued;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
});

describe(BoundedClient.name, () => {
  let server: tls.Server;
  let client: NodeClient;
  let connections: TLSSocket[];
  /** Writes the answer to a request. */
  let answer: (socket: TLSSocket) => void;

  beforeEach(async () => {
    connections = [];
    server = tls.createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, (socket) => {
      connections.push(socket.on('error', () => undefined));
      socket.on('data', () => answer(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    client = createNodeClient({
      transport: 'rest',
      host: '127.0.0.1',
      port,
      apiKey: 'a-key-of-the-tests',
      tls: { ca: certificate.cert },
      timeoutMs: 10_000,
    });
  });
  afterEach(async () => {
    await client.close();
    for (const socket of connections) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const info = Buffer.from(BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ version: '1.2.3' })).finish());

  const writeForEver = (socket: TLSSocket, text: string): void => {
    const piece = text.repeat(Math.ceil(16_384 / text.length));
    const more = (): void => {
      while (!socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', more);
    };
    more();
  };

  it.each<[string, string, string]>([
    ['the extension of a chunk', `${CHUNKED}1;a=`, 'a'],
    ['extensions of chunks of one byte', CHUNKED, `1;a=${'b'.repeat(100)}\r\nx\r\n`],
    ['the space before the value of a header', 'HTTP/1.1 200 OK\r\nx-a:', ' '],
    ['the text of its status', 'HTTP/1.1 200 ', 'O'],
    ['empty lines before its status', '', '\r\n'],
  ])('security row 88: ends the connection of a node that sends %s without end', async (_what, begin, rest) => {
    answer = (socket) => {
      socket.write(begin);
      writeForEver(socket, rest);
    };
    expect(await failureOf(client.info())).toMatchObject(PROTOCOL);
    expect(connections[0]?.bytesWritten).toBeLessThan(MAX_SENT);
    answer = (socket) =>
      void socket.write(
        Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${info.length}\r\n\r\n`), info]),
      );
    expect(await client.info()).toMatchObject({ version: '1.2.3' });
    expect(connections).toHaveLength(2);
  });

  it('security row 88: ends a log beside which a node sends extensions without end', async () => {
    answer = (socket) => void socket.write(`${CHUNKED}f\r\nid:1\ndata:abc\n\n\r\n1;a=`);
    const lines = client.logs({ resume: false })[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: { detail: 'abc' } });
    for (const socket of connections) writeForEver(socket, 'a');
    expect(await failureOf(lines.next() as Promise<unknown>)).toMatchObject(PROTOCOL);
  });

  it('reads a body in chunks of one byte, and a thousand answers over the same connections', async () => {
    const chunks = [...info].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    );
    const header = `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(1_000)}\r\ntransfer-encoding: chunked\r\n\r\n`;
    answer = (socket) => void socket.write(Buffer.concat([Buffer.from(header), ...chunks, Buffer.from('0\r\n\r\n')]));
    for (let count = 0; count < 1_000; count += 1) expect(await client.info()).toMatchObject({ version: '1.2.3' });
    // undici may open a second one while the first one is still busy with the end of an answer.
    expect(connections.length).toBeLessThan(3);
  });
});
