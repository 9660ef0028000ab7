import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionLimiter } from '@rampart/program';
import { dispatchHttp2Streams } from './http2-dispatcher.js';

describe('an HTTP/2 connection', () => {
  const server = new Server();
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
      authenticate: (header) => header('x-api-key') === 'the-key',
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

  it('an HTTP/2 connection without the key is closed, however busy it is', async () => {
    const session = connect();
    const closed = once(session, 'close');
    const asking = setInterval(() => {
      if (!session.closed)
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

  it('an HTTP/2 connection with the key stays open', async () => {
    const [known, silent] = [connect(), connect()];
    await ask(known, { 'x-api-key': 'the-key' });
    await once(silent, 'close');
    await ask(known, {});
    expect(known.closed).toBe(false);
    known.destroy();
  });

  it('an HTTP/2 connection carries no more streams at a time than announced', async () => {
    const session = connect();
    const [settings] = (await once(session, 'remoteSettings')) as [http2.Settings];
    // grpc-js sends its own settings first.
    if (settings.maxConcurrentStreams !== 2048) await once(session, 'remoteSettings');
    expect(session.remoteSettings.maxConcurrentStreams).toBe(2048);
    session.destroy();
  });
});
