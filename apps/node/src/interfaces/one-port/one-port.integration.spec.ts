import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BaseInfoResponse } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { connectHttp2, KEY, open, send, sendHttp2 } from '../../testing/clients/https.js';
import { INFO, NodeDouble } from '../../testing/nodes/node-double.js';
import { API_KEY, RunningNode } from '../../testing/nodes/running-node.js';

const EMPTY_FRAME = Buffer.alloc(5);
const GRPC = {
  ':method': 'POST',
  ':path': '/service.NodeService/GetBaseInfo',
  'content-type': 'application/grpc',
  te: 'trailers',
};

describe('the one port', () => {
  const service = new NodeDouble();
  let node: RunningNode;
  const sockets: net.Socket[] = [];

  beforeAll(async () => {
    node = await RunningNode.open({ service });
  });
  beforeEach(() => service.reset());
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => node.close());

  const secure = async (options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = tls.connect({ host: '127.0.0.1', port: node.port, ca: node.certificate.cert, ...options });
    sockets.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  };
  const asked = `GET /info HTTP/1.1\r\nhost: node\r\nconnection: close\r\nx-api-key: ${API_KEY}\r\n\r\n`;
  const readAll = async (socket: TLSSocket): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    return Buffer.concat(chunks).toString('latin1');
  };

  it.each([
    [undefined, false],
    [['http/1.1'], 'http/1.1'],
    [['h2'], 'h2'],
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
  ])('the port speaks HTTP/1.1 to a client that offers %j', async (ALPNProtocols, agreed) => {
    const socket = await secure(ALPNProtocols ? { ALPNProtocols } : {});
    expect(socket.alpnProtocol).toBe(agreed);
    socket.write(asked);
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('the port sends keep-alive probes to a silent peer', async () => {
    await secure();
    // In the kernel's table the local address comes first, and 02 marks a running keep-alive timer.
    const name = `:${node.port.toString(16).toUpperCase().padStart(4, '0')}`;
    await eventually('the timer runs', (saw) =>
      saw(readFileSync('/proc/net/tcp', 'utf8').split('\n'))
        .map((line) => line.trim().split(/\s+/))
        .some(([, local, , , , timer]) => local?.endsWith(name) && timer?.startsWith('02:')),
    );
  });

  it.each([[undefined], [['http/1.1']], [['h2']], [['http/1.1', 'h2']]])(
    'speaks HTTP/2 to a client that offers %j',
    async (ALPNProtocols) => {
      const socket = await secure(ALPNProtocols ? { ALPNProtocols } : {});
      const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
      socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings]));
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(chunk[3]).toBe(4);
    },
  );

  it('a client that offers neither h2 nor http/1.1 is refused', async () => {
    await expect(secure({ ALPNProtocols: ['spdy/3'] })).rejects.toThrow(/no application protocol/);
  });

  it.each(['P', 'PR', 'PRI'])(
    'the port waits for more bytes when "%s" does not determine the protocol',
    async (start) => {
      const socket = await secure({ ALPNProtocols: ['h2', 'http/1.1'] });
      socket.setNoDelay(true).write(start);
      await new Promise((resolve) => setImmediate(resolve));
      socket.write(start === 'PRI' ? ' * HTTP/2.0\r\n\r\nSM\r\n\r\n' : `${'PUT'.slice(start.length)} /`);
      if (start === 'PRI') expect(((await once(socket, 'data')) as [Buffer])[0][3]).toBe(4);
      else {
        socket.write(`stop HTTP/1.1\r\nhost: node\r\nconnection: close\r\nx-api-key: ${API_KEY}\r\n\r\n`);
        expect(await readAll(socket)).toMatch(
          start === 'P' ? /^HTTP\/1\.1 200 OK\r\n/ : /^HTTP\/1\.1 400 Bad Request\r\n/,
        );
      }
    },
  );

  it('connections that send nothing, break off or are not TLS do not harm the port', async () => {
    const silent = net.connect(node.port, '127.0.0.1');
    const plain = net.connect(node.port, '127.0.0.1');
    sockets.push(silent, plain);
    const refused = once(plain.on('error', () => undefined).resume(), 'close');
    plain.end('GET / HTTP/1.0\r\n\r\n');
    (await secure()).destroy();
    (await secure({ ALPNProtocols: ['h2'] })).end('PRI * HT');
    await refused;
    expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
  });

  it('the port serves REST and gRPC on one HTTP/2 connection', async () => {
    const session = connectHttp2(node);
    const rest = () => sendHttp2(session, { ':method': 'GET', ':path': '/info', ...KEY });
    const grpc = () => sendHttp2(session, { ...GRPC, ...KEY }, EMPTY_FRAME);
    const answers = await Promise.all([rest(), grpc(), rest(), grpc()]);
    session.close();
    for (const [index, { status, headers, body }] of answers.entries()) {
      expect(status).toBe(200);
      const overRest = index % 2 === 0;
      expect(headers['content-type']).toBe(overRest ? 'application/x-protobuf' : 'application/grpc+proto');
      expect(BaseInfoResponse.decode(overRest ? body : body.subarray(EMPTY_FRAME.length))).toEqual(INFO);
      if (!overRest) expect(headers['grpc-status']).toBe('0');
    }
  });

  it('each request on an HTTP/2 connection needs the key', async () => {
    const session = connectHttp2(node);
    await sendHttp2(session, { ':method': 'GET', ':path': '/info', ...KEY });
    expect(await sendHttp2(session, { ':method': 'GET', ':path': '/info' })).toMatchObject({ status: 401 });
    expect(await sendHttp2(session, GRPC, EMPTY_FRAME)).toMatchObject({
      status: 200,
      headers: { 'grpc-status': '16' },
    });
    session.close();
  });
});

describe('the one port, restricted', () => {
  it('a port that is restricted to gRPC has no REST', async () => {
    const node = await RunningNode.open({ service: new NodeDouble(), settings: { RAMPART_NODE_PROTOCOL: 'grpc' } });
    try {
      expect(await send(node, 'GET', '/info')).toMatchObject({ status: 404 });
      expect(await node.client('grpc').info()).toEqual(INFO);
      expect(await node.client('auto').info()).toEqual(INFO);
    } finally {
      await node.close();
    }
  });

  it('a port that is restricted to REST has no gRPC', async () => {
    const node = await RunningNode.open({ service: new NodeDouble(), settings: { RAMPART_NODE_PROTOCOL: 'rest' } });
    try {
      expect(await node.client('rest').info()).toEqual(INFO);
      expect(await node.client('auto').info()).toEqual(INFO);
      await expect(node.client('grpc').info()).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const session = connectHttp2(node);
      expect(await sendHttp2(session, { ':method': 'GET', ':path': '/info', ...KEY })).toMatchObject({ status: 200 });
      session.close();
    } finally {
      await node.close();
    }
  });
});

describe('closing the one port', () => {
  it('closing the port ends streams, idle and half-open connections at once, and frees it', async () => {
    const service = new NodeDouble();
    const node = await RunningNode.open({ service });
    const events = await open(node, 'GET', '/logs');
    const ended = once(events.resume(), 'end');
    const streamed = (async () => {
      for await (const _ of node.client('grpc').logs({ resume: false })) throw new Error('no line was written');
    })();
    const broken = expect(streamed).rejects.toMatchObject({
      code: 'SHUTTING_DOWN',
      message: 'the node is shutting down',
    });
    const silent = net.connect(node.port, '127.0.0.1');
    const idle = tls.connect({ host: '127.0.0.1', port: node.port, ca: node.certificate.cert });
    await Promise.all([once(silent, 'connect'), once(idle, 'secureConnect')]);
    silent.on('error', () => undefined);
    idle.on('error', () => undefined);
    await eventually('both log streams are open', (saw) => saw(service.readers) === 2);

    const start = Date.now();
    await node.app.close();
    expect(Date.now() - start).toBeLessThan(2_000);
    await Promise.all([ended, broken]);
    expect(service.readers).toBe(0);

    const again = net.createServer().listen(node.port, '127.0.0.1');
    await once(again, 'listening');
    again.close();
    silent.destroy();
    idle.destroy();
    await node.close();
  });

  it('closing the port lets a running call finish', async () => {
    const service = new NodeDouble();
    const node = await RunningNode.open({ service });
    let finish = (): void => undefined;
    service.answerAfter = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const calls = Promise.all([node.client('grpc').stop(), node.client('rest').stop()]);
    await eventually('both calls are under way', (saw) => saw(service.calls).length === 2);
    const closed = node.app.close();
    finish();
    await expect(calls).resolves.toEqual([undefined, undefined]);
    await closed;
    await node.close();
  });
});
