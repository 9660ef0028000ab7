import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionLimiter } from '@rampart/program';
import { eventually } from '@rampart/testing';
import { floodOf } from '../../testing/clients/raw-http2.js';
import { dispatchHttp2Streams } from './http2-dispatcher.js';

describe('an HTTP/2 connection', () => {
  const server = new Server();
  let authentications = 0;
  const limiter = new ConnectionLimiter({
    maxSockets: 10,
    maxPerAddress: 10,
    authenticationMs: 300,
    warn: () => undefined,
    advice: { sockets: '', perAddress: '' },
  });
  let listener: net.Server;

  beforeAll(async () => {
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    dispatchHttp2Streams(server, {
      onRequest: (_request, response) => response.end('served'),
      authenticate: (header) => {
        authentications += 1;
        return header('x-api-key') === 'the-key';
      },
      onAuthenticated: (socket) => limiter.markAuthenticated(socket),
    });
    listener = net.createServer((socket) => injector.injectConnection(socket));
    limiter.attachTo(listener);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
  });
  afterAll(() => {
    listener.close();
    server.forceShutdown();
  });

  const connect = (): http2.ClientHttp2Session =>
    http2.connect(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  const ask = async (session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders): Promise<void> => {
    const stream = session.request({ ':path': '/', ...headers }).resume();
    await once(stream, 'end');
  };

  it('without the key is closed, however busy it is', async () => {
    // What it still sends may meet a closed socket, which resets the connection.
    const session = connect().on('error', () => undefined);
    const closed = new Promise((resolve) => session.once('close', resolve));
    const asking = setInterval(() => {
      if (!session.closed && !session.destroyed)
        session
          .request({ ':path': '/' })
          .on('error', () => undefined)
          .resume();
    }, 20);
    const began = Date.now();
    await closed;
    clearInterval(asking);
    expect(Date.now() - began).toBeLessThan(2000);
  });

  it('with the key stays open', async () => {
    const [known, silent] = [connect(), connect()];
    await ask(known, { 'x-api-key': 'the-key' });
    await once(silent, 'close');
    await ask(known, {});
    expect(known.closed).toBe(false);
    known.destroy();
  });

  it('carries no more streams at a time than announced: many only after the key was shown', async () => {
    const session = connect();
    const announced = (streams: number) =>
      eventually(
        `${streams} streams are announced`,
        (saw) => saw(session.remoteSettings.maxConcurrentStreams) === streams,
      );
    await announced(8);
    await ask(session, { 'x-api-key': 'the-key' });
    await announced(2048);
    session.destroy();
  });

  /** Sends a flood, and waits until the server has closed the connection. */
  const flood = async (bytes: Uint8Array): Promise<void> => {
    const socket = net.connect((listener.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
  };
  const rest = { ':method': 'POST', ':scheme': 'http', ':path': '/unknown', ':authority': 'node' };
  const grpc = { ...rest, 'content-type': 'application/grpc' };

  // A gRPC call is refused in the moment in which it comes, so its reset has nothing to take back.
  it.each([
    ['reset at once', 'REST', rest, 1],
    ['reset at once', 'gRPC', grpc, 32],
    ['without an end', 'REST', rest, 32],
    ['without an end', 'gRPC', grpc, 32],
    ['complete', 'REST', rest, 32],
    ['complete', 'gRPC', grpc, 32],
  ] as const)(
    'security row 58: a peer without the key that sends 2,000 requests %s over %s is disconnected, and few of them are looked at',
    async (kind, _, headers, most) => {
      authentications = 0;
      await flood(floodOf(kind, 2_000, headers));
      expect(authentications).toBeLessThanOrEqual(most);
    },
  );

  it('a peer without the key may open 32 streams one after the other', async () => {
    const session = connect();
    for (let count = 0; count < 32; count += 1) await ask(session, {});
    expect(session.destroyed).toBe(false);
    authentications = 0;
    const closed = once(session, 'close');
    session.request({ ':path': '/' }).on('error', () => undefined);
    await closed;
    expect(authentications).toBe(0);
  });

  it('a peer that has shown the key may reset streams, and open many', async () => {
    const session = connect();
    await ask(session, { 'x-api-key': 'the-key' });
    for (let count = 0; count < 100; count += 1) {
      const stream = session.request({ ':path': '/' }, { endStream: false }).on('error', () => undefined);
      stream.close(http2.constants.NGHTTP2_CANCEL);
      await once(stream, 'close');
    }
    await ask(session, {});
    session.destroy();
  });
});
