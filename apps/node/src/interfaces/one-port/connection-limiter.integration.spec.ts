import { once } from 'node:events';
import net from 'node:net';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { portOf } from '../../app/node.app.js';
import { connectHttp2, KEY, send, sendHttp2 } from '../../testing/clients/https.js';
import { floodOf } from '../../testing/clients/raw-http2.js';
import { INFO, NodeDouble } from '../../testing/nodes/node-double.js';
import { API_KEY, RunningNode } from '../../testing/nodes/running-node.js';

const MIB = 2 ** 20;

const connectTo = async (node: RunningNode): Promise<net.Socket> => {
  const socket = net.connect(node.port, '127.0.0.1').on('error', () => undefined);
  await once(socket.resume(), 'connect');
  return socket;
};
const secureTo = async (
  node: RunningNode,
  options: ConnectionOptions & { allowHalfOpen?: boolean } = {},
): Promise<TLSSocket> => {
  const socket = tls.connect({ host: '127.0.0.1', port: node.port, ca: node.certificate.cert, ...options });
  await once(
    socket.on('error', () => undefined),
    'secureConnect',
  );
  return socket;
};
const secondsUntilClosed = async (socket: net.Socket): Promise<number> => {
  const began = performance.now();
  // once() would fail for a connection that is reset, which is a valid end too.
  await new Promise((resolve) => socket.resume().once('close', resolve));
  return (performance.now() - began) / 1000;
};

/** What callers send that never show a key. */
const BEFORE_HANDSHAKE = { 'sends nothing': '', 'breaks off in the handshake': '\x16\x03\x01\x02\0\x01' };
const AFTER_HANDSHAKE = {
  nothing: '',
  'half a preface': 'PRI * HT',
  'the preface of HTTP/2 alone': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0',
  'half a request': 'GET /info HTTP/1.1\r\nhost: n',
};
/** How long they stay connected where one second is set. */
const seconds = new Map<string, number>();
/** The same where nothing is set, which takes as long as most other tests together. */
let withoutSetting: Promise<number>;

const patient: RunningNode[] = [];
beforeAll(async () => {
  const open = async (settings?: Record<string, string>): Promise<RunningNode> => {
    patient.push(await RunningNode.open({ service: new NodeDouble(), ...(settings && { settings }) }));
    return patient.at(-1) as RunningNode;
  };
  withoutSetting = secondsUntilClosed(await connectTo(await open()));
  const strict = await open({ RAMPART_NODE_KEY_SECONDS: '1' });
  const measure = (texts: Record<string, string>, connect: () => Promise<net.Socket>) =>
    Object.entries(texts).map(async ([what, text]) => {
      const socket = await connect();
      socket.write(Buffer.from(text, 'latin1'));
      seconds.set(what, await secondsUntilClosed(socket));
    });
  await Promise.all([
    ...measure(BEFORE_HANDSHAKE, () => connectTo(strict)),
    ...measure(AFTER_HANDSHAKE, () => secureTo(strict)),
  ]);
});
afterAll(() => Promise.all(patient.map((node) => node.close())));

describe('the port for callers without the key', () => {
  const service = new NodeDouble();
  let node: RunningNode;
  const sockets: net.Socket[] = [];

  const start = async (settings: Record<string, string> = {}): Promise<void> => {
    node = await RunningNode.open({ service, settings });
  };
  beforeEach(() => service.reset());
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await node.close();
  });

  const plain = async (): Promise<net.Socket> => {
    const socket = await connectTo(node);
    sockets.push(socket);
    return socket;
  };
  const secure = async (options?: Parameters<typeof secureTo>[1]): Promise<TLSSocket> => {
    const socket = await secureTo(node, options);
    sockets.push(socket);
    return socket;
  };
  const ask = (key = API_KEY): string => `GET /info HTTP/1.1\r\nhost: node\r\nx-api-key: ${key}\r\n\r\n`;

  it.each(['POST', 'GET'])('a %s without the key is answered with 401, read no further and closed', async (method) => {
    await start();
    const socket = await secure({ allowHalfOpen: true });
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    let sent = 0;
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB), Buffer.from('\r\n')]);
    const push = (error?: Error | null): void => {
      if (error || sent > 512 * MIB) return;
      sent += chunk.length;
      socket.write(chunk, push);
    };
    socket.write(`${method} /start HTTP/1.1\r\nhost: node\r\ntransfer-encoding: chunked\r\n\r\n`, push);
    expect(await secondsUntilClosed(socket)).toBeLessThan(4);
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    expect(answer).toContain('connection: close\r\n');
    expect(answer).toContain('{"error":"missing or wrong API key","code":"UNAUTHENTICATED"}');
    // These bytes are in the kernel's buffers: the node has not read them.
    expect(sent / MIB).toBeLessThan(32);
  });

  it('a caller without the key that sends a whole body before it reads gets the answer', async () => {
    await start();
    expect(await send(node, 'POST', '/start', { headers: {}, body: Buffer.alloc(MIB) })).toMatchObject({ status: 401 });
  });

  it('a wrong key closes a connection on which the right key was shown before', async () => {
    await start();
    const socket = await secure();
    socket.write(ask());
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    socket.write(ask('another-key-of-the-tests'));
    expect(await secondsUntilClosed(socket)).toBeLessThan(4);
  });

  it.each([
    ['GET', {}],
    ['POST', { 'content-type': 'application/grpc', te: 'trailers' }],
  ])(
    'simultaneous HTTP/2 requests without the key are all refused, then the connection ends: %s %j',
    async (method, headers) => {
      await start();
      const session = connectHttp2(node);
      const closed = once(session, 'close');
      const answers = [1, 2].map(() => sendHttp2(session, { ':method': method, ':path': '/info', ...headers }));
      expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      await closed;
      expect(service.calls).toEqual([]);
    },
  );

  it('connections on which the key was shown stay open, regardless of the limits', async () => {
    await start({
      RAMPART_NODE_KEY_SECONDS: '1',
      RAMPART_NODE_MAX_SOCKETS: '16',
      RAMPART_NODE_MAX_KEYLESS: '4',
    });
    const rest = await secure();
    rest.write(ask());
    await once(rest, 'data');
    const session = connectHttp2(node);
    await sendHttp2(session, { ':method': 'GET', ':path': '/info', ...KEY });
    const grpc = node.client('grpc');
    await grpc.info();
    const flood = [];
    for (let count = 0; count < 40; count += 1) flood.push(await plain());
    await Promise.all(flood.map((socket) => socket.closed || once(socket, 'close')));
    rest.write(ask());
    expect(String((await once(rest, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await sendHttp2(session, { ':method': 'GET', ':path': '/info', ...KEY })).toMatchObject({ status: 200 });
    expect(await grpc.info()).toEqual(INFO);
    session.close();
  });

  it('a caller with the key gets in while others hold all connections without the key', async () => {
    await start({ RAMPART_NODE_MAX_KEYLESS: '4' });
    const idle = [];
    for (let count = 0; count < 8; count += 1) idle.push(await plain());
    expect(await node.client('grpc').info()).toEqual(INFO);
    expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
  });

  it.each([
    ['reset at once', {}],
    ['complete', { 'content-type': 'application/grpc' }],
    ['without an end', {}],
  ] as const)(
    'security row 58: management is answered while 16 connections of a stranger send requests %s %j',
    async (kind, more) => {
      await start();
      const headers = { ':method': 'POST', ':scheme': 'https', ':path': '/unknown', ':authority': 'node', ...more };
      const bytes = floodOf(kind, 2_000, headers);
      const [grpc, rest] = [node.client('grpc'), node.client('rest')];
      for (let round = 0; round < 4; round += 1) {
        const ends = Array.from({ length: 16 }, async () => {
          const socket = await secure({ ALPNProtocols: ['h2'] });
          socket.write(bytes);
          await secondsUntilClosed(socket);
        });
        expect(await Promise.all([grpc.info(), rest.info()])).toEqual([INFO, INFO]);
        await Promise.all(ends);
      }
    },
  );

  it('the port does not allow TLS renegotiation', async () => {
    await start();
    const socket = await secure({ maxVersion: 'TLSv1.2' });
    socket.renegotiate({ rejectUnauthorized: false }, () => undefined);
    await expect(once(socket, 'close')).rejects.toThrow('no renegotiation');
  });

  it('TLS 1.2 suites without forward secrecy and authenticated encryption are refused', async () => {
    await start();
    const agreed = async (ciphers: string): Promise<string> =>
      secure({ maxVersion: 'TLSv1.2', ciphers }).then(
        (socket) => socket.getCipher().name,
        (error: Error) => error.message,
      );
    expect(await agreed('ECDHE-ECDSA-CHACHA20-POLY1305')).toBe('ECDHE-ECDSA-CHACHA20-POLY1305');
    expect(await agreed('ECDHE-ECDSA-AES256-GCM-SHA384')).toBe('ECDHE-ECDSA-AES256-GCM-SHA384');
    for (const old of ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'AES128-GCM-SHA256']) {
      expect(await agreed(`${old}:@SECLEVEL=0`)).toContain('handshake failure');
    }
  });

  it.each(['ffdhe8192', 'ffdhe2048', 'P-521'])(
    'security row 125: the costly group %s is refused',
    async (ecdhCurve) => {
      await start();
      await expect(secure({ minVersion: 'TLSv1.3', ecdhCurve })).rejects.toThrow('handshake failure');
    },
  );

  it('a changed certificate is shown to new connections and cuts no old one', async () => {
    await start();
    const other = await RunningNode.open({ service });
    const session = connectHttp2(node);
    await sendHttp2(session, { ':method': 'GET', ':path': '/info', ...KEY });
    portOf(node.app).useCertificate(other.certificate);
    await expect(secure()).rejects.toThrow();
    const socket = await secure({ ca: other.certificate.cert });
    expect(socket.getPeerCertificate().fingerprint256).toBe(other.certificate.fingerprint256);
    expect(await sendHttp2(session, { ':method': 'GET', ':path': '/info', ...KEY })).toMatchObject({ status: 200 });
    session.close();
    await other.close();
  });

  it('the previous key is accepted beside the current one', async () => {
    const previous = 'the-key-before-this';
    await start({ RAMPART_API_KEY_PREVIOUS: previous });
    for (const transport of ['rest', 'grpc'] as const) {
      expect(await node.client(transport, { apiKey: previous }).info()).toEqual(INFO);
      expect(await node.client(transport).info()).toEqual(INFO);
      await expect(node.client(transport, { apiKey: `${previous}x` }).info()).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
    }
  });
});

describe('the port for callers that never show a key', () => {
  it.each(Object.keys(BEFORE_HANDSHAKE))('the port closes a connection that %s', (what) => {
    expect(seconds.get(what)).toBeGreaterThan(0.9);
    expect(seconds.get(what)).toBeLessThan(3);
  });

  it.each(Object.keys(AFTER_HANDSHAKE))(
    'the port closes a connection without a key in time: %s after the handshake',
    (what) => {
      expect(seconds.get(what)).toBeLessThan(3);
    },
  );

  it('the port closes a connection that has not finished its handshake after ten seconds, where nothing is set', async () => {
    const measured = await withoutSetting;
    expect(measured).toBeGreaterThan(9);
    expect(measured).toBeLessThan(13);
  }, 20_000);
});
