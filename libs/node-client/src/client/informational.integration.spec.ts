import { once } from 'node:events';
import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { BaseInfoResponse, User } from '../gen/service.js';
import { type Issued, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { MAX_INFORMATIONAL_ANSWERS } from '../transport/informational-answers.js';
import { createNodeClient } from './create-node-client.js';

const PROTOCOL = { code: 'PROTOCOL', message: 'the node sends informational answers without end', retryable: false };
/** As many as a hostile node writes at once, before it waits for the connection. */
const AT_ONCE = 2_000;

let certificate: Issued;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
});

/** A server that answers each call with so many informational answers before the answer itself. */
describe.each(['grpc', 'rest'] as const)('informational answers over %s', (transport) => {
  let server: tls.Server | http2.Http2SecureServer;
  let client: NodeClient;
  let informational: number;
  let sockets: TLSSocket[];
  let firstClosed: Promise<unknown>;

  beforeEach(async () => {
    sockets = [];
    server = transport === 'grpc' ? overHttp2() : overTls();
    server.on('secureConnection', (socket: TLSSocket) => sockets.push(socket.on('error', () => undefined)));
    firstClosed = new Promise((resolve) =>
      server.once('secureConnection', (socket: TLSSocket) => socket.once('close', resolve)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    client = createNodeClient({
      transport,
      host: '127.0.0.1',
      port,
      apiKey: 'a-key-of-the-tests',
      tls: { ca: certificate.cert },
      timeoutMs: 5_000,
    });
  });
  afterEach(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const info = (): Buffer =>
    Buffer.from(BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ version: '1.2.3' })).finish());

  function overTls(): tls.Server {
    return tls.createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, (socket) => {
      socket.once('data', () => {
        socket.resume();
        let sent = 0;
        const answer = (): void => {
          for (; sent < informational; sent += 1) {
            if (socket.destroyed) return;
            if (!socket.write('HTTP/1.1 103 Early Hints\r\nx-a: b\r\n\r\n')) return void socket.once('drain', answer);
          }
          const body = info();
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
          socket.write(body);
        };
        answer();
      });
    });
  }

  function overHttp2(): http2.Http2SecureServer {
    return http2.createSecureServer(certificate).on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => undefined).resume();
      let sent = 0;
      const answer = (): void => {
        const turn = Math.min(informational, sent + AT_ONCE);
        for (; sent < turn; sent += 1) {
          if (stream.destroyed || stream.closed) return;
          stream.additionalHeaders({ ':status': 103, 'x-a': 'b' });
        }
        if (sent < informational) return void setImmediate(answer);
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        const body = info();
        const head = Buffer.alloc(5);
        head.writeUInt32BE(body.length, 1);
        stream.end(Buffer.concat([head, body]));
      };
      answer();
    });
  }

  it.each<[string, () => Promise<unknown>]>([
    ['info', () => client.info()],
    ['start', () => client.start({ config: '{}' })],
    ['logs', () => client.logs()[Symbol.asyncIterator]().next()],
    ['syncUser', () => client.syncUser([User.create({ email: '1.a' })])],
    ['syncUsersChunked', () => client.syncUsersChunked([User.create({ email: '1.a' })])],
  ])('security row 39: without end, they end the call %s and its connection', async (_name, call) => {
    informational = Number.POSITIVE_INFINITY;
    expect(await failureOf(call())).toMatchObject(PROTOCOL);
    await firstClosed;
  });

  it('security row 39: one more than a few ends the call, and the next one has another connection', async () => {
    informational = MAX_INFORMATIONAL_ANSWERS + 1;
    expect(await failureOf(client.info())).toMatchObject(PROTOCOL);
    await firstClosed;
    informational = 0;
    expect(await client.info()).toMatchObject({ version: '1.2.3' });
  });

  it('a few, as an intermediary may send them, are no error, and each call may have as many', async () => {
    informational = MAX_INFORMATIONAL_ANSWERS;
    expect(await client.info()).toMatchObject({ version: '1.2.3' });
    expect(await client.info()).toMatchObject({ version: '1.2.3' });
  });
});
