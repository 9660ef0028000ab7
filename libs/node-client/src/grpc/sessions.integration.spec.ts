import { once } from 'node:events';
import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { describe, expect, it, jest } from '@jest/globals';
import { createNodeClient } from '../client/create-node-client.js';
import { selfSigned } from '../testing/certificates.js';
import { prepareSessions } from './sessions.js';

describe(prepareSessions.name, () => {
  it('lets a connection keep the process alive during calls alone', async () => {
    const certificate = await selfSigned({ names: ['127.0.0.1'] });
    const server = http2.createSecureServer(certificate);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ref = jest.spyOn(TLSSocket.prototype, 'ref');
    const unref = jest.spyOn(TLSSocket.prototype, 'unref');
    const client = createNodeClient({
      transport: 'grpc',
      host: '127.0.0.1',
      port,
      apiKey: 'a-key-of-the-tests',
      tls: { ca: certificate.cert },
    });
    const asked = once(server, 'stream') as Promise<[ServerHttp2Stream]>;
    const call = client.info().catch(() => undefined);
    const [stream] = await asked;
    expect(unref.mock.invocationCallOrder.at(-1)).toBeLessThan(ref.mock.invocationCallOrder.at(-1) ?? 0);
    const released = new Promise((resolve) =>
      unref.mockImplementation(function unref(this: TLSSocket) {
        resolve(undefined);
        return this;
      }),
    );
    stream.on('error', () => undefined).close();
    await Promise.all([call, released]);
    await client.close();
    jest.restoreAllMocks();
    server.close();
  });
});
