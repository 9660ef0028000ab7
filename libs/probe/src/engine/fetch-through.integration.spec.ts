import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type IssuedCertificate, TestAuthority } from '@rampart/testing';
import { fetchThrough } from './fetch-through.js';

describe(fetchThrough.name, () => {
  let certificate: IssuedCertificate;
  let folder: string;
  let path: string;
  let proxy: Server;
  let server: Server | tls.Server;

  beforeAll(async () => {
    certificate = await (await TestAuthority.create()).issue(['127.0.0.1']);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-fetch-'));
    path = join(folder, 'proxy.sock');
    proxy = createServer().on('connect', ({ url = '' }, socket) => {
      const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      target.on('error', () => undefined).once('close', () => socket.destroy());
      socket.on('error', () => undefined).once('close', () => target.destroy());
    });
    await once(proxy.listen(path), 'listening');
  });
  afterEach(async () => {
    proxy.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const fetched = async (scheme: 'http' | 'https', signal = AbortSignal.timeout(10_000)) => {
    const { port } = server.address() as AddressInfo;
    const url = new URL(`${scheme}://127.0.0.1:${port}/`);
    return fetchThrough(path, { url, maxBytes: 1_000, signal }).catch(({ message }: Error) => message);
  };
  const overTls = async (options: tls.TlsOptions): Promise<void> => {
    const { certificate: cert, key } = certificate;
    server = tls.createServer({ cert, key, ...options }, (socket) =>
      socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  const overHttp = async (answer: RequestListener): Promise<void> => {
    server = createServer(answer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };

  it.each([{}, { maxVersion: 'TLSv1.2' as const }])('fetches over TLS %j', async (options) => {
    await overTls(options);
    expect(await fetched('https')).toMatchObject({ status: 200, bytes: 2, brokenOff: '' });
  });

  it('security row 136: does not take a costly group that the server wants', async () => {
    await overTls({ minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe8192' });
    expect(await fetched('https')).toMatch(/handshake failure/);
  });

  it('security row 136: ends where informational answers do not', async () => {
    await overHttp((_, response) => {
      const more = (): void => {
        for (let n = 0; n < 100; n += 1) response.writeEarlyHints({ link: '</a>; rel=preload' });
        if (!response.destroyed) setImmediate(more);
      };
      more();
    });
    expect(await fetched('http')).toBe('informational answers without end');
  });

  it('takes some informational answers', async () => {
    await overHttp((_, response) => {
      for (let n = 0; n < 8; n += 1) response.writeProcessing();
      response.end('ok');
    });
    expect(await fetched('http')).toMatchObject({ status: 200, bytes: 2 });
  });
});
