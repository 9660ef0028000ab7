import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { createNodeClient } from '../client/create-node-client.js';
import { User } from '../gen/service.js';
import { type Issued, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { FilteredSocket } from './filtered-socket.js';

const [DATA, HEADERS, SETTINGS, ALTSVC, ORIGIN] = [0, 1, 4, 10, 12];
const END_HEADERS = 4;
const PREFACE_BYTES = 24;
const FORBIDDEN = { code: 'PROTOCOL', message: 'the node sends HTTP/2 frames that no node sends' };

const frame = (type: number, stream: number, payload: Buffer): Buffer => {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
};

describe(FilteredSocket.name, () => {
  let certificate: Issued;
  let server: tls.Server;
  let client: NodeClient;
  let connection: TLSSocket;
  let closed: Promise<unknown>;
  /** What the server sends once it has been asked something. */
  let answer: Buffer;

  beforeAll(async () => {
    certificate = await selfSigned({ names: ['127.0.0.1'] });
  });
  beforeEach(async () => {
    server = tls.createServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
      connection = socket.on('error', () => undefined);
      closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(frame(SETTINGS, 0, Buffer.alloc(0)));
      let heard = Buffer.alloc(0);
      socket.on('data', (chunk: Buffer) => {
        heard = Buffer.concat([heard, chunk]);
        if (!asked(heard)) return;
        heard = Buffer.alloc(0);
        socket.write(answer);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = createNodeClient({
      transport: 'grpc',
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      apiKey: 'a-key-of-the-tests',
      tls: { ca: certificate.cert },
      timeoutMs: 5_000,
    });
  });
  afterEach(async () => {
    await client.close();
    connection.destroy();
    server.close();
    await once(server, 'close');
  });

  /** Whether the frames behind the preface of a connection have one with the head of a request. */
  function asked(bytes: Buffer): boolean {
    for (let at = PREFACE_BYTES; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
      if (bytes[at + 3] === HEADERS) return true;
    return false;
  }

  it('security row 107: frames of a node with which Node.js aborts end the connection', async () => {
    answer = Buffer.concat([
      frame(ALTSVC, 3, Buffer.from('0002afb7b98f38f7a599a42c', 'hex')),
      frame(SETTINGS, 3, Buffer.from('fbbbb2', 'hex')),
    ]);
    expect(await failureOf(client.info())).toMatchObject(FORBIDDEN);
    await closed;
  });

  it('security row 107: frames about other origins are left out, and end the connection where they go on', async () => {
    const origin = Buffer.from('https://a.test');
    const entry = Buffer.concat([Buffer.of(0, origin.length), origin]);
    answer = Buffer.concat(Array.from({ length: 5_000 }, () => frame(ORIGIN, 0, entry)));
    expect(await failureOf(client.info())).toMatchObject(FORBIDDEN);
    await closed;
  });

  it.each<[string, () => Promise<unknown>]>([
    ['info', () => client.info()],
    ['logs', () => client.logs()[Symbol.asyncIterator]().next()],
    ['syncUser', () => client.syncUser([User.create({ email: '1.a' })])],
  ])(
    'security row 107: a compressed message of no known compression is an error of the call %s',
    async (_name, call) => {
      const head = Buffer.from(
        '00073a73746174757303323030000c636f6e74656e742d74797065106170706c69636174696f6e2f67727063',
        'hex',
      );
      const headers = frame(HEADERS, 1, head);
      headers.writeUInt8(END_HEADERS, 4);
      answer = Buffer.concat([headers, frame(DATA, 1, Buffer.of(1, 0, 0, 0, 3, 1, 2, 3))]);
      expect(await failureOf(call())).toMatchObject({ code: 'PROTOCOL' });
    },
  );
});
