import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import { type EngineClient, eventually, freePort, listens, runEngine } from '@rampart/testing';
import {
  shadowsocksOutbound,
  trojanOutbound,
  vlessOutbound,
  vmessOutbound,
} from '../../../testing/clients/client-outbounds.js';
import { ID, METHOD } from '../../../testing/clients/four-protocols.js';
import { quicPacket } from '../../../testing/clients/quic-packet.js';
import { SocksPackets } from '../../../testing/clients/socks.js';

const SNIFFING = { enabled: true, destOverride: ['http', 'tls'] };
const MUX = { mux: { enabled: true, concurrency: 8, xudpConcurrency: 8 } };
const DIRECT = { tag: 'direct', protocol: 'freedom' };
const VLESS = { protocol: 'vless', settings: { decryption: 'none', clients: [{ id: ID }] } };
const shadowsocks = (network: string) => ({
  ...{ protocol: 'shadowsocks', settings: { network, clients: [{ password: 'secret', method: METHOD }] } },
});
type Outbound = (port: number) => object;
const toVless: Outbound = (port) => vlessOutbound(port, ID);
const toShadowsocks: Outbound = (port) => shadowsocksOutbound(port, METHOD, 'secret');
const to =
  (protocol: string): Outbound =>
  (port) => ({
    ...{ protocol, settings: { servers: [{ address: '127.0.0.1', port }] } },
  });
const over = (network: string): [object, Outbound] => [
  { ...VLESS, streamSettings: { network } },
  (port) => ({ ...toVless(port), streamSettings: { network } }),
];

/** The engine reckons with offsets in signed 32 bits, so that this one is negative. */
const PACKET = quicPacket(2n ** 31n);

/** What the engine does; a version in which one of these differs needs other warnings. */
describe('faults of the engine', () => {
  let target: Socket;
  let heard = 0;
  const running: EngineClient[] = [];
  const sessions: SocksPackets[] = [];

  beforeAll(async () => {
    target = createSocket('udp4').bind(0, '127.0.0.1');
    target.on('message', () => {
      heard += 1;
    });
    await once(target, 'listening');
  });
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.close();
    await Promise.all(running.splice(0).map((engine) => engine.close()));
  });
  afterAll(() => {
    target.close();
  });

  /** Starts the engine with an inbound for users, and a client of it. */
  async function start(inbound: object, outbound: Outbound, others: object = {}) {
    const [port, control, entry] = [await freePort(), await freePort(), await freePort()];
    const config = {
      inbounds: [{ ...{ tag: 'in', listen: '127.0.0.1', port }, ...inbound }],
      outbounds: [DIRECT],
      ...others,
    };
    const local = { ...{ tag: 'control', listen: '127.0.0.1', port: control }, protocol: 'http' };
    running.push(await runEngine(control, { ...config, inbounds: [...config.inbounds, local] }));
    const socks = { ...{ listen: '127.0.0.1', port: entry }, protocol: 'socks', settings: { udp: true } };
    running.push(await runEngine(entry, { inbounds: [socks], outbounds: [outbound(port)] }));
    return {
      codes: parseCoreConfig(config).warnings.map(({ code }) => code),
      hasEnded: async () => !(await listens(control)),
      /** Sends a packet until something is so; one that is lost is sent again, in a session of its own. */
      send: (host: string, to: number, packet: Buffer, isSo: (session: SocksPackets) => Promise<boolean> | boolean) =>
        eventually('a packet has its effect', async () => {
          const session = await SocksPackets.open(entry);
          sessions.push(session);
          session.send(host, to, packet);
          return eventually('this packet has its effect', () => isSo(session), 3_000).catch(() => false);
        }),
    };
  }

  /** Whether the engine ends by a packet of QUIC, or passes it on, and whether a save warns of that. */
  async function endsByQuic(inbound: object, outbound: Outbound) {
    const { codes, send, hasEnded } = await start({ sniffing: SNIFFING, ...inbound }, outbound);
    const before = heard;
    await send('127.0.0.1', target.address().port, PACKET, async () => (await hasEnded()) || heard > before);
    return { ends: await hasEnded(), warns: codes.includes('sniffing_fault') };
  }

  it.each<[string, object, Outbound]>([
    ['vless', VLESS, toVless],
    ['vmess', { protocol: 'vmess', settings: { clients: [{ id: ID }] } }, (port) => vmessOutbound(port, ID)],
    [
      'trojan',
      { protocol: 'trojan', settings: { clients: [{ password: 'secret' }] } },
      (port) => trojanOutbound(port, 'secret'),
    ],
    ['shadowsocks', shadowsocks('tcp,udp'), toShadowsocks],
    ['socks', { protocol: 'socks', settings: { udp: true } }, to('socks')],
    ['vless over ws', ...over('ws')],
    ['vless over grpc', ...over('grpc')],
    ['vless over kcp', ...over('kcp')],
    ['vless with mux', VLESS, (port) => ({ ...toVless(port), ...MUX })],
    ['shadowsocks without UDP, by mux', shadowsocks('tcp'), (port) => ({ ...toShadowsocks(port), ...MUX })],
    ['socks without UDP, by mux', { protocol: 'socks' }, (port) => ({ ...to('socks')(port), ...MUX })],
    ['http, by mux', { protocol: 'http' }, (port) => ({ ...to('http')(port), ...MUX })],
    ['vless with no protocol to override', { ...VLESS, sniffing: { enabled: true } }, toVless],
    ['vless with another protocol', { ...VLESS, sniffing: { enabled: true, destOverride: ['fakedns'] } }, toVless],
    ['vless with routeOnly', { ...VLESS, sniffing: { ...SNIFFING, routeOnly: true } }, toVless],
  ])(
    'security row 94: a packet of QUIC of a user of %s ends the engine, of which a save warns',
    async (_, inbound, outbound) => {
      expect(await endsByQuic(inbound, outbound)).toEqual({ ends: true, warns: true });
    },
  );

  it.each([
    ['is off', { ...SNIFFING, enabled: false }],
    ['reads metadata alone', { ...SNIFFING, metadataOnly: true }],
  ])('a packet of QUIC does not end the engine where sniffing %s', async (_, sniffing) => {
    expect(await endsByQuic({ ...VLESS, sniffing }, toVless)).toEqual({ ends: false, warns: false });
  });

  it('sniffing reads a packet of QUIC also where the first rule blocks it', async () => {
    const routing = { rules: [{ network: 'udp', outboundTag: 'nowhere' }] };
    const outbounds = [DIRECT, { tag: 'nowhere', protocol: 'blackhole' }];
    const { send, hasEnded } = await start({ ...VLESS, sniffing: SNIFFING }, toVless, { routing, outbounds });
    await send('127.0.0.1', target.address().port, PACKET, hasEnded);
  });

  it('security row 127: mKCP sends a stranger many times as much as it gets, unless a mask with a password checks it', async () => {
    const sealed = { finalmask: { udp: [{ type: 'mkcp-aes128gcm', settings: { password: 'secret' } }] } };
    const streams = [{ network: 'mkcp' }, { network: 'kcp', ...sealed }];
    const ports = [await freePort(), await freePort()];
    const inbounds = streams.map((streamSettings, index) => ({
      ...{ tag: `in${index}`, listen: '127.0.0.1', port: ports[index]!, ...VLESS, streamSettings },
    }));
    const control = { tag: 'control', listen: '127.0.0.1', port: await freePort(), protocol: 'http' };
    running.push(await runEngine(control.port, { inbounds: [...inbounds, control], outbounds: [DIRECT] }));
    const strangers = await Promise.all(
      ports.map(async (port) => {
        const socket = createSocket('udp4');
        let received = 0;
        socket.on('message', ({ length }) => {
          received += length;
        });
        socket.connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return { socket, received: () => received };
      }),
    );
    const [ping, numbers] = kcpPackets();
    // The one that answers is asked last.
    for (const { socket } of strangers.toReversed()) {
      socket.send(ping);
      socket.send(numbers);
    }
    const open = strangers[0]!;
    await eventually('it sends 40 times as much', (saw) => saw(open.received()) > 40 * (ping.length + numbers.length));
    expect(strangers[1]!.received()).toBe(0);
    for (const { socket } of strangers) socket.close();
    expect(parseCoreConfig({ inbounds, outbounds: [DIRECT] }).warnings.map(({ code, path }) => [code, path])).toEqual([
      ['kcp_strangers', 'inbounds[0].streamSettings'],
      ['kcp_strangers', 'inbounds[1].streamSettings'],
    ]);
  });

  it.each<[string, object, number]>([
    ['takes a post of a stranger', {}, 200],
    [
      'refuses with a smaller limit the posts of clients, which have up to a million bytes',
      { scMaxEachPostBytes: 999_999 },
      413,
    ],
    ['buffers none with a mode that clients behind a CDN cannot use', { mode: 'stream-one' }, 400],
  ])('xhttp %s', async (_, settings, status) => {
    const port = await freePort();
    const xhttp = { ...VLESS, streamSettings: { network: 'xhttp', xhttpSettings: { path: '/x', ...settings } } };
    running.push(await runEngine(port, { inbounds: [{ listen: '127.0.0.1', port, ...xhttp }], outbounds: [DIRECT] }));
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => undefined);
    const referer = `https://a.example/?x_padding=${'X'.repeat(500)}`;
    const post = session
      .request({ ':method': 'POST', ':path': '/x/a-session/1', referer })
      .on('error', () => undefined);
    post.end(Buffer.alloc(1_000_000));
    const [headers] = await once(post, 'response');
    session.destroy();
    expect(headers).toMatchObject({ ':status': status });
  });

  it('security row 131: Shadowsocks without UDP takes packets in connections of mux, as subscriptions have it', async () => {
    const mux = { enabled: true, concurrency: -1, xudpConcurrency: 16 };
    const { send } = await start(shadowsocks('tcp'), (port) => ({ ...toShadowsocks(port), mux }));
    const before = heard;
    await send('127.0.0.1', target.address().port, Buffer.from('a packet'), () => heard > before);
  });

  it('security row 134: gRPC takes streams of strangers without a limit of their number', async () => {
    const port = await freePort();
    const grpc = { ...VLESS, streamSettings: { network: 'grpc', grpcSettings: { serviceName: 'name' } } };
    running.push(await runEngine(port, { inbounds: [{ listen: '127.0.0.1', port, ...grpc }], outbounds: [DIRECT] }));
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => undefined);
    await once(session, 'remoteSettings');
    expect(session.remoteSettings?.maxConcurrentStreams).toBe(2 ** 32 - 1);
    let ended = 0;
    for (let count = 0; count < 2000; count += 1) {
      const headers = { ':method': 'POST', ':path': '/name/Tun', 'content-type': 'application/grpc', te: 'trailers' };
      const stream = session.request(headers).on('error', () => undefined);
      stream.once('close', () => {
        ended += 1;
      });
    }
    // It has read them all when it answers this.
    await new Promise((resolve) => session.ping(resolve));
    expect(ended).toBe(0);
    session.destroy();
  });

  describe('an outbound for DNS', () => {
    const servers: Server[] = [];
    let asked: number;
    beforeEach(() => {
      asked = 0;
    });
    afterEach(() => {
      for (const server of servers.splice(0)) server.close();
    });

    async function listen(server: Server) {
      servers.push(server);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    }

    function answerOf(question: Buffer): Buffer {
      asked += 1;
      // Questions have their names in small letters here, behind a length of one byte.
      return answer(question, question.includes('\x03big') ? 700 : 1);
    }

    const OVER: Record<string, () => Promise<string>> = {
      DoH: async () => {
        const server = createHttp2Server();
        server.on('stream', (stream) => {
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
            stream.end(answerOf(Buffer.concat(chunks)));
          });
        });
        return `h2c://${await listen(server as unknown as Server)}/dns-query`;
      },
      TCP: async () => {
        const server = createServer((socket) => {
          socket.on('error', () => socket.destroy());
          socket.once('data', (request: Buffer) => {
            const message = answerOf(request.subarray(2));
            socket.end(Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]));
          });
        });
        return `tcp://${await listen(server)}`;
      },
    };

    it.each([
      ['DoH', true],
      ['TCP', false],
    ])(
      'security row 95: a name with hundreds of addresses that is asked for over %s ends the engine: %s, and so warns a save',
      async (kind, isEnd) => {
        const { codes, send, hasEnded } = await start(VLESS, toVless, {
          dns: { servers: [await OVER[kind]!()] },
          outbounds: [DIRECT, { tag: 'answers', protocol: 'dns' }],
          routing: { rules: [{ port: 53, outboundTag: 'answers' }] },
        });
        expect(codes.includes('dns_fault')).toBe(isEnd);
        await send('9.9.9.9', 53, question('big'), () => (isEnd ? hasEnded() : asked > 0));
        if (!isEnd) await send('9.9.9.9', 53, question('small'), ({ heard: answers }) => answers.length > 0);
        expect(await hasEnded()).toBe(isEnd);
      },
    );
  });
});

/** A wish for acknowledgements at once, and 75 empty segments without the first one, which are acknowledged again and again. */
function kcpPackets(): [Buffer, Buffer] {
  const [DATA, PING] = [1, 3];
  const head = (command: number) => Buffer.from([0, 7, command, 0]);
  const ping = Buffer.concat([head(PING), Buffer.alloc(11), Buffer.from([1])]);
  const segment = (number: number) =>
    Buffer.concat([head(DATA), Buffer.from([0, 0, 0, 0, 0, 0, 0, number]), Buffer.alloc(6)]);
  return [ping, Buffer.concat(Array.from({ length: 75 }, (_, index) => segment(index + 1)))];
}

function question(name: string): Buffer {
  const header = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([
    header,
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([4]),
    Buffer.from('test'),
    Buffer.from([0, 0, 1, 0, 1]),
  ]);
}

/** An answer with this many addresses; the name in front of each is a reference to the question. */
function answer(asked: Buffer, count: number): Buffer {
  const end = asked.indexOf(Buffer.from([0, 0, 1, 0, 1]), 12) + 5;
  const header = Buffer.from(asked.subarray(0, 12));
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(count, 6);
  header.fill(0, 8);
  const records = Array.from({ length: count }, (_, index) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 9, 9, index >> 8, index & 0xff]),
  );
  return Buffer.concat([header, asked.subarray(12, end), ...records]);
}
