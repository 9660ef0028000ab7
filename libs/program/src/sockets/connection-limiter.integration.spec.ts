import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, TestAuthority } from '@rampart/testing';
import { ConnectionLimiter, type ConnectionLimiterOptions } from './connection-limiter.js';

describe(ConnectionLimiter.name, () => {
  let server: net.Server;
  let limiter: ConnectionLimiter;
  let accepted: Socket[];
  let told: string[];
  let sockets: Socket[];

  const open = async (options: Partial<ConnectionLimiterOptions>): Promise<void> => {
    [accepted, told, sockets] = [[], [], []];
    server = net.createServer((socket) => accepted.push(socket.on('error', () => undefined).resume()));
    limiter = new ConnectionLimiter({
      maxSockets: 100,
      maxPerAddress: 100,
      warn: (line) => told.push(line),
      advice: { sockets: 'Raise ALL.', unknown: 'Raise UNKNOWN.', perAddress: 'Raise EACH.' },
      ...options,
    });
    limiter.attachTo(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    limiter.closeAll();
    server.close();
  });

  /** Connects, and waits until the server has accepted or refused the connection. */
  const connect = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const { port } = server.address() as AddressInfo;
    const before = accepted.length;
    const socket = net.connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    sockets.push(socket.resume());
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    while (accepted.length === before && !socket.closed) await Promise.race([closed, sleep(5)]);
    return socket;
  };
  const isOpen = async (socket: Socket): Promise<boolean> => {
    // Clients learn within this time that the server has closed their connection.
    await sleep(50);
    return !socket.destroyed;
  };
  const allOpen = (all: readonly Socket[]): Promise<boolean[]> => Promise.all(all.map(isOpen));

  it('security row 133: the oldest unauthenticated connection of an address gives way to its newest, which is logged', async () => {
    await open({ maxPerAddress: 2 });
    const all = [await connect(), await connect(), await connect(), await connect('127.0.0.2')];
    expect(await allOpen(all)).toEqual([false, true, true, true]);
    expect(told).toEqual(['127.0.0.1 has 2 connections open: the oldest is closed for each new one. Raise EACH.']);
  });

  it('refuses further connections of an address where peers do not authenticate, and logs that', async () => {
    await open({ maxPerAddress: 2, closeIdle: () => undefined });
    const all = [await connect(), await connect(), await connect(), await connect('127.0.0.2')];
    expect(await allOpen(all)).toEqual([true, true, false, true]);
    expect(told).toEqual(['127.0.0.1 has 2 connections open: further ones are closed. Raise EACH.']);
  });

  it('security row 137: of whom a proxy serves, the oldest connections give way beyond the limit of an address', async () => {
    await open({ maxPerAddress: 2, exempt: ['127.0.0.1'], closeIdle: () => undefined });
    const all = [await connect(), await connect(), await connect(), await connect(), await connect('127.0.0.2')];
    const ends = ['192.0.2.1', '192.0.2.9', '192.0.2.1', '192.0.2.1', '192.0.2.1'].map((address, at) =>
      limiter.serve(accepted[at] as Socket, address),
    );
    expect(await allOpen(all)).toEqual([false, true, true, true, true]);
    expect(told).toEqual([
      '192.0.2.1 has 2 requests open by a proxy: the oldest is closed for each new one. Raise EACH.',
    ]);
    for (const end of ends) end();
    limiter.serve(accepted[2] as Socket, '192.0.2.1');
    expect(await allOpen(all.slice(1))).toEqual([true, true, true, true]);
  });

  it('accepts a connection again when another one has ended or authenticated', async () => {
    await open({ maxPerAddress: 1 });
    (await connect()).destroy();
    await once(accepted[0] as Socket, 'close');
    const second = await connect();
    limiter.markAuthenticated(accepted[1] as Socket);
    const third = await connect();
    expect([await allOpen([second, third]), told]).toEqual([[true, true], []]);
  });

  it('does not count connections from exempt addresses', async () => {
    await open({ maxPerAddress: 1, exempt: ['127.0.0.0/30'] });
    const all = [await connect(), await connect(), await connect('127.0.0.9'), await connect('127.0.0.9')];
    expect(await allOpen(all)).toEqual([true, true, false, true]);
  });

  it('closes the oldest unauthenticated connection for a new one, and never an authenticated one', async () => {
    await open({ maxUnauthenticated: 2 });
    const all = [await connect()];
    limiter.markAuthenticated(accepted[0] as Socket);
    for (let more = 0; more < 3; more += 1) all.push(await connect());
    expect(await allOpen(all)).toEqual([true, false, true, true]);
    expect(told).toEqual([
      '2 connections have not shown who they are, most of them by 127.0.0.0/24 (2): one is closed for each new one. Raise UNKNOWN.',
    ]);
  });

  it('opens no more sockets than the maximum, and logs that', async () => {
    await open({ maxSockets: 2 });
    const all = [await connect(), await connect()];
    limiter.markAuthenticated(accepted[0] as Socket);
    all.push(await connect());
    expect(await allOpen(all)).toEqual([true, false, true]);
    limiter.markAuthenticated(accepted[2] as Socket);
    all.push(await connect());
    expect(await allOpen(all)).toEqual([true, false, true, false]);
    expect(told).toEqual([
      'All 2 sockets are in use, most of them by 127.0.0.0/24 (1): connections are closed. Raise ALL.',
    ]);
  });

  it('closes idle connections before all sockets are in use', async () => {
    let tidied = 0;
    await open({ maxSockets: 10, closeIdle: () => (tidied += 1) });
    for (let count = 0; count < 9; count += 1) await connect();
    expect(tidied).toBe(0);
    const tenth = await connect();
    expect([await isOpen(tenth), tidied]).toEqual([true, 1]);
    const eleventh = await connect();
    expect([await isOpen(eleventh), await isOpen(tenth), tidied]).toEqual([false, true, 1]);
  });

  describe('security row 87: when all sockets are in use', () => {
    const connectAll = async (...addresses: string[]): Promise<Socket[]> => {
      const all = [];
      for (const address of addresses) all.push(await connect(address));
      return all;
    };

    it('the oldest connection of the network with the most, of its address with the most, gives way to a newcomer', async () => {
      await open({ maxSockets: 6, closeIdle: () => undefined });
      const all = await connectAll('127.0.1.1', '127.0.1.2', '127.0.1.2', '127.0.2.1', '127.0.2.1', '127.0.1.3');
      all.push(...(await connectAll('127.0.3.1', '127.0.4.1')));
      expect(await allOpen(all)).toEqual([false, false, true, true, true, true, true, true]);
      expect(told).toEqual([
        'All 6 sockets are in use, most of them by 127.0.1.0/24 (4): connections are closed. Raise ALL.',
      ]);
    });

    it('a newcomer of the network with the most is refused, unless another of its addresses has more', async () => {
      await open({ maxSockets: 4, closeIdle: () => undefined });
      const all = await connectAll('127.0.2.1', '127.0.1.1', '127.0.1.1', '127.0.1.1');
      all.push(...(await connectAll('127.0.1.1', '127.0.1.2')));
      expect(await allOpen(all)).toEqual([true, false, true, true, false, true]);
    });

    it('connections of exempt addresses stay, and all others give way to them', async () => {
      await open({ maxSockets: 4, maxPerAddress: 2, exempt: ['127.0.0.1'], closeIdle: () => undefined });
      const all = await connectAll('127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.1.1');
      all.push(...(await connectAll('127.0.2.1', '127.0.0.1', '127.0.3.1')));
      expect(await allOpen(all)).toEqual([true, true, true, false, false, true, false]);
    });

    it('the same holds for those that have not authenticated, of whom a newcomer of the greediest address takes the place of its oldest', async () => {
      await open({ maxUnauthenticated: 3, exempt: ['127.0.0.1'] });
      const all = await connectAll('127.0.0.1', '127.0.0.1', '127.0.2.1', '127.0.0.1', '127.0.3.1');
      expect(await allOpen(all)).toEqual([false, false, true, true, true]);
    });
  });

  it('closes connections that have not authenticated in time, and no others', async () => {
    await open({ authenticationMs: 200 });
    const [known, unknown] = [await connect(), await connect()];
    limiter.markAuthenticated(accepted[0] as Socket);
    const began = performance.now();
    await once(unknown, 'close');
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await isOpen(known)).toBe(true);
    expect(told).toEqual([]);
  });

  it('closes an unauthenticated connection that sends too many bytes', async () => {
    await open({ authenticationMs: 60_000, unauthenticatedBytes: 1_000 });
    const [known, modest, unknown] = [await connect(), await connect(), await connect()];
    limiter.markAuthenticated(accepted[0] as Socket);
    for (const socket of [known, unknown]) socket.write(Buffer.alloc(1_001));
    modest.write(Buffer.alloc(1_000));
    await once(unknown, 'close');
    expect(await allOpen([known, modest])).toEqual([true, true]);
  });
});

describe('handshakes whose certificates take long to verify', () => {
  const certificates = async () => {
    const authority = await TestAuthority.create();
    const [own, client] = [await authority.issue(['127.0.0.1']), await authority.issue(['client.test'])];
    const stranger = await (await TestAuthority.create()).issue(['client.test']);
    return { ca: authority.pem, own, client, stranger };
  };
  type Known = Awaited<ReturnType<typeof certificates>>;
  let known: Known;
  let server: tls.Server;
  let limiter: ConnectionLimiter;
  let told: string[];

  beforeAll(async () => {
    known = await certificates();
  });
  beforeEach(async () => {
    told = [];
    const { certificate: cert, key } = known.own;
    server = tls.createServer({ cert, key, ca: known.ca, requestCert: true, rejectUnauthorized: true }, (socket) =>
      socket.on('error', () => undefined).end('welcome'),
    );
    limiter = new ConnectionLimiter({
      ...{ maxSockets: 100, maxPerAddress: 100, handshakeBytes: 24 * 1024, exempt: ['127.0.0.9'] },
      warn: (line) => told.push(line),
      advice: { sockets: '', unknown: 'Use a firewall.', perAddress: '' },
    });
    limiter.attachTo(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    limiter.closeAll();
    server.close();
  });

  /** What the server says to whoever shows a certificate, and others behind it; nothing when it closes the connection. */
  const answerTo = async (
    { certificate, key }: Known['client'],
    others: number,
    localAddress: string,
  ): Promise<string> => {
    const cert = `${certificate}\n`.repeat(1 + others);
    const { port } = server.address() as AddressInfo;
    const options = { port, host: '127.0.0.1', localAddress, ca: known.ca, cert, key };
    return text(tls.connect(options)).catch(() => '');
  };
  const LONG = 80;
  const [NETWORK, OTHER] = ['127.0.0.1', '127.0.1.1'];

  it('security row 130: a network from which one came is refused for a minute, and others are served', async () => {
    const { client, stranger } = known;
    expect(await answerTo(stranger, 0, NETWORK)).toBe('');
    expect(await answerTo(client, 0, NETWORK)).toBe('welcome');
    expect(await answerTo(stranger, LONG, NETWORK)).toBe('');
    await eventually('it is found out', (saw) => saw(told).length > 0);
    expect(await answerTo(client, 0, NETWORK)).toBe('');
    expect(await answerTo(client, 0, OTHER)).toBe('welcome');
    expect(told).toEqual([
      'A TLS handshake from 127.0.0.0/24 failed that was too long: its connections are refused for a minute. Use a firewall.',
    ]);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    expect(await answerTo(client, 0, NETWORK)).toBe('welcome');
  });

  it('security row 130: an address from which somebody has authenticated is not refused, nor is an exempt one', async () => {
    const { client, stranger } = known;
    server.once('secureConnection', (socket) => limiter.markAuthenticated(socket));
    expect(await answerTo(client, 0, NETWORK)).toBe('welcome');
    for (const address of ['127.0.0.2', NETWORK, '127.0.0.9']) await answerTo(stranger, LONG, address);
    await eventually('it is found out', (saw) => saw(told).length > 0);
    expect(await answerTo(client, 0, '127.0.0.2')).toBe('');
    expect(await answerTo(client, 0, NETWORK)).toBe('welcome');
    expect(await answerTo(client, 0, '127.0.0.9')).toBe('welcome');
  });

  it('security row 130: of a network sixteen handshakes go on at a time, and the oldest gives way', async () => {
    const { port } = server.address() as AddressInfo;
    const silent = Array.from({ length: 16 }, () =>
      net.connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }),
    );
    for (const socket of silent) await once(socket.on('error', () => undefined).resume(), 'connect');
    expect(await answerTo(known.client, 0, OTHER)).toBe('welcome');
    expect(silent.map(({ closed }) => closed)).toEqual(Array(16).fill(false));
    expect(await answerTo(known.client, 0, NETWORK)).toBe('welcome');
    await eventually('one is closed', (saw) => saw(silent.filter(({ closed }) => closed)).length === 1);
    for (const socket of silent) socket.destroy();
  });
});
