import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { shadowsocks2022Key } from '@rampart/domain';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  runEngine,
  startLocalWeb,
} from '@rampart/testing';
import type { NodeSettings } from '../../../env/node.settings.js';
import { shadowsocksOutbound, vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { quicPacket } from '../../../testing/clients/quic-packet.js';
import { type PacketContent, shadowsocks2022Packet } from '../../../testing/clients/shadowsocks-2022-packet.js';
import { SocksPackets, sendThroughSocks } from '../../../testing/clients/socks.js';
import { sendTrojanRequest } from '../../../testing/clients/trojan-request.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { dnsQuestion, startDnsServer, startDohServer } from '../../../testing/dns-server.js';
import { testSettings } from '../../../testing/nodes/test-node.js';
import { BackendFixture } from '../testing/test-backend.js';

const ANN = '11111111-1111-4111-8111-111111111111';
const METHOD = '2022-blake3-aes-128-gcm';
const INBOUND_KEY = randomBytes(16).toString('base64');
const USER_KEY = shadowsocks2022Key(METHOD, 'secret');
const LEGACY = 'chacha20-ietf-poly1305';
const INBOUNDS = ['vless', 'modern', 'legacy'] as const;
type Way = (typeof INBOUNDS)[number];
const RESEND_MS = 2000;
const DAY = 86_400_000;
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';

const address = (text: string) => Buffer.from([3, text.length, ...Buffer.from(text), 0, 80]);
const LOOPBACK = Buffer.from([1, 127, 0, 0, 1, 0, 80]);
/** UDP packets of Shadowsocks 2022 that end Xray-core 26.3.27. */
const PACKETS: readonly (readonly [string, PacketContent])[] = [
  ['a name that is none', { target: address('a b') }],
  ['an empty name', { target: address('') }],
  ['padding beyond its end', { target: LOOPBACK, claimedPadding: 0x0fff }],
  ['the longest padding', { target: LOOPBACK, claimedPadding: 0xffff }],
];

describe('the engine, ended by a known fault', () => {
  let web: LocalWeb;
  let udpEcho: Socket;
  let dns: Awaited<ReturnType<typeof startDnsServer>>;
  let doh: Awaited<ReturnType<typeof startDohServer>>;
  const ports = { vless: 0, modern: 0, legacy: 0 };
  const opened: { close(): unknown }[] = [];

  const track = <T extends { close(): unknown }>(part: T): T => {
    opened.push(part);
    return part;
  };

  const config = (others: object = {}) => ({
    dns: { servers: [doh.url] },
    inbounds: [
      { protocol: 'vless', settings: { decryption: 'none' } },
      { protocol: 'shadowsocks', settings: { method: METHOD, password: INBOUND_KEY, network: 'tcp,udp' } },
      { protocol: 'shadowsocks', settings: { network: 'tcp,udp' } },
    ].map((inbound, index) => ({
      ...{ tag: INBOUNDS[index], listen: '127.0.0.1', port: ports[INBOUNDS[index]!] },
      sniffing: { enabled: true, destOverride: ['tls', 'quic'], routeOnly: true },
      ...inbound,
    })),
    outbounds: [
      { tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE },
      { tag: 'names', protocol: 'dns' },
    ],
    routing: { rules: [{ port: `${dns.port}`, outboundTag: 'names' }] },
    ...others,
  });
  const users = [
    {
      ...{ email: '1.ann', inbounds: [...INBOUNDS] },
      proxies: { vless: { id: ANN }, shadowsocks: { password: 'secret', method: LEGACY } },
    },
  ];
  const start = async (settings: Partial<NodeSettings> = {}, others: object = {}): Promise<BackendFixture> => {
    const test = track(new BackendFixture(settings));
    await test.start(config(others), users);
    return test;
  };
  const pidOf = async (test: BackendFixture): Promise<number> => (await test.pids())[0] ?? 0;

  /** A client whose SOCKS ports, one after another, lead to the inbounds. */
  const connect = async (): Promise<EngineClient> => {
    const port = await freePort();
    const outbounds: Record<Way, object> = {
      vless: vlessOutbound(ports.vless, ANN),
      modern: shadowsocksOutbound(ports.modern, METHOD, `${INBOUND_KEY}:${USER_KEY}`),
      legacy: shadowsocksOutbound(ports.legacy, LEGACY, 'secret'),
    };
    return track(
      await runEngine(port, {
        inbounds: INBOUNDS.map((tag, index) => ({
          ...{ tag, listen: '127.0.0.1', port: port + index, protocol: 'socks', settings: { udp: true } },
        })),
        outbounds: INBOUNDS.map((tag) => ({ ...outbounds[tag], tag: `to-${tag}` })),
        routing: { rules: INBOUNDS.map((tag) => ({ inboundTag: [tag], outboundTag: `to-${tag}` })) },
      }),
    );
  };
  const socks = (client: EngineClient, way: Way) => client.port + INBOUNDS.indexOf(way);
  const fetchBy = (client: EngineClient, way: Way) => {
    const { host, hostname, port } = new URL(web.url);
    const target = { host: hostname, port: Number(port) };
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    return sendThroughSocks(socks(client, way), target, request, 3000, (answer) => answer.includes(web.page));
  };
  const udpWorks = async (client: EngineClient, way: Way): Promise<void> => {
    const packets = track(await SocksPackets.open(socks(client, way)));
    await eventually(`UDP works over ${way}`, () => {
      packets.send('127.0.0.1', udpEcho.address().port, 'ping');
      return packets.heard.includes('ping');
    });
  };
  const servesAll = async (client: EngineClient): Promise<void> => {
    for (const way of INBOUNDS) expect(await fetchBy(client, way)).toContain(web.page);
    await udpWorks(client, 'vless');
    await udpWorks(client, 'legacy');
  };

  const sendModern = async (content: PacketContent): Promise<void> => {
    const socket = createSocket('udp4');
    const packet = shadowsocks2022Packet(INBOUND_KEY, USER_KEY, content);
    await new Promise((resolve) => socket.send(packet, ports.modern, '127.0.0.1', resolve));
    socket.close();
  };
  const sendBy = async (client: EngineClient, way: Way, port: number, content: Buffer): Promise<SocksPackets> => {
    const packets = track(await SocksPackets.open(socks(client, way)));
    packets.send('127.0.0.1', port, content);
    return packets;
  };
  const sendQuic = (client: EngineClient, way: Way) => sendBy(client, way, 443, quicPacket(2n ** 31n));
  const ask = (client: EngineClient, name: string) => sendBy(client, 'vless', dns.port, dnsQuestion(name));

  /** Resolves with the process id of the next engine. A packet that is lost on its way is sent again. */
  const endsOnce = async (test: BackendFixture, attack: () => Promise<unknown>): Promise<number> => {
    const before = await test.pids();
    const { restarts } = test.backend;
    let sentAt = Number.NEGATIVE_INFINITY;
    await eventually('another engine serves', async () => {
      if (test.backend.restarts === restarts + 1) return test.backend.running;
      if (performance.now() - sentAt < RESEND_MS) return false;
      sentAt = performance.now();
      await attack();
      return false;
    });
    const [after = 0, ...others] = (await test.pids()).filter((pid) => !before.includes(pid));
    expect([after > 0, others]).toEqual([true, []]);
    return after;
  };

  beforeAll(async () => {
    web = await startLocalWeb();
    for (const way of INBOUNDS) ports[way] = await freePort();
    udpEcho = createSocket('udp4').bind(0, '127.0.0.1');
    udpEcho.on('message', (packet, from) => udpEcho.send(packet, from.port, from.address));
    await once(udpEcho, 'listening');
    dns = await startDnsServer(new Map([['few.test', ['192.0.2.7']]]));
    const many = Array.from({ length: 700 }, (_, index) => `198.18.${index >> 8}.${index & 255}`);
    doh = await startDohServer(new Map([['many.test', many]]));
  });
  afterEach(async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
  });
  afterAll(async () => {
    await web.close();
    udpEcho.close();
    dns.close();
    await doh.close();
  });

  it.each(PACKETS)(
    'security row 101: by a UDP packet of Shadowsocks 2022 with %s, runs without UDP there, and no packet ends it again',
    async (_what, content) => {
      const test = await start();
      const client = await connect();
      await servesAll(client);
      await udpWorks(client, 'modern');
      const pid = await endsOnce(test, () => sendModern(content));
      for (const [, other] of PACKETS) await sendModern(other);
      await servesAll(client);
      expect(await test.pids()).toEqual([pid]);
      expect(test.backend.restarts).toBe(1);
      expect((await test.backend.figures()).faults).toEqual({
        ...{ 'shadowsocks-2022-udp': 1, 'quic-sniffing': 0, 'dns-answer': 0 },
      });
      expect(test.backend.warnings).toEqual([
        expect.stringMatching(
          `^inbounds of Shadowsocks 2022 take no UDP until ${TIME}: a UDP packet to one of them has ended the engine, which ` +
            'has a fault there \\(shadowsocks-2022-udp\\); a change of the configuration brings it back at once$',
        ),
      ]);
      expect(test.notes).toEqual([
        expect.stringMatching(/^\[rampart\] \[Warning\] the engine \(process \d+\) ended with exit code 2$/),
        expect.stringMatching(
          `^\\[rampart\\] \\[Warning\\] the engine was ended by a UDP packet to one of them \\(fault shadowsocks-2022-udp\\): until ${TIME} inbounds of Shadowsocks 2022 take no UDP$`,
        ),
        '[rampart] the engine starts again in 0.0 s',
      ]);
    },
  );

  it.each([
    ['', 0],
    [', which may outlive the node', 60],
  ])(
    'security row 102: by a QUIC packet%s, sniffs no contents, and no such packet ends it again',
    async (_what, keepSeconds) => {
      const test = await start({ keepSeconds });
      const client = await connect();
      await servesAll(client);
      const pid = await endsOnce(test, () => sendQuic(client, 'vless'));
      for (const way of INBOUNDS) await sendQuic(client, way);
      await servesAll(client);
      await udpWorks(client, 'modern');
      expect(await test.pids()).toEqual([pid]);
      expect(test.backend.warnings).toEqual([
        expect.stringMatching(
          /^sniffing reads no contents \(metadataOnly\), so rules see no sniffed domains and protocols until /,
        ),
      ]);
    },
  );

  const LEFT_OUT_ANSWERS =
    /^outbounds "dns" pass what they get on to their own "address" or to the first server of "dns" that is a plain address, and nothing without one until /;

  /** Ends an engine by a long answer of an outbound "dns"; its configuration has a server with a plain address, or none. */
  const endByLongAnswer = async (hasPlain: boolean): Promise<void> => {
    const target = createSocket('udp4').bind(0, '127.0.0.1');
    const reached: string[] = [];
    target.on('message', (packet) => reached.push(packet.toString('latin1')));
    track(target);
    await once(target, 'listening');
    const echo = track(await startEcho());
    const { port } = target.address();
    const plain = { address: '127.0.0.1', port: dns.port };
    const test = await start(
      {},
      {
        dns: { servers: [doh.url, ...(hasPlain ? [plain] : [])] },
        routing: { rules: [{ port: `${port},${echo.port}`, outboundTag: 'names' }] },
      },
    );
    const client = await connect();
    const pid = await endsOnce(test, () => sendBy(client, 'vless', port, dnsQuestion('many.test')));

    // What a "freedom" towards the targets of users would be: a way out for anything, to the ports of DNS.
    const bytes = 'this is no question';
    const packets = await sendBy(client, 'vless', port, Buffer.from(bytes));
    const tcp = { host: '127.0.0.1', port: echo.port };
    expect(await sendThroughSocks(socks(client, 'vless'), tcp, bytes, 1000)).toBe('');
    dns.asked.splice(0);
    if (hasPlain)
      await eventually('the plain server answers', () => {
        packets.send('127.0.0.1', port, dnsQuestion('few.test'));
        return packets.heard.some((answer) => answer.includes('few'));
      });
    packets.send('127.0.0.1', port, dnsQuestion('many.test'));
    await servesAll(client);
    expect([reached, dns.asked.includes('few.test')]).toEqual([[], hasPlain]);
    expect(await test.pids()).toEqual([pid]);
    expect(test.backend.warnings).toEqual([expect.stringMatching(LEFT_OUT_ANSWERS)]);
  };

  it('security row 103: by a long answer of an outbound "dns", passes questions on to a plain server, and no such name ends it again', () =>
    endByLongAnswer(true));

  it('security row 129: by a long answer of an outbound "dns", lets out nothing that is no question, and no questions where no server is plain', () =>
    endByLongAnswer(false));

  it('security row 104: by three faults one after another, runs without all three features', async () => {
    const test = await start();
    const client = await connect();
    await endsOnce(test, () => sendModern(PACKETS[0]![1]));
    await endsOnce(test, () => sendQuic(client, 'vless'));
    const pid = await endsOnce(test, () => ask(client, 'many.test'));
    for (const [, content] of PACKETS) await sendModern(content);
    await sendQuic(client, 'vless');
    await ask(client, 'many.test');
    await servesAll(client);
    expect(await test.pids()).toEqual([pid]);
    expect(test.backend.warnings).toHaveLength(3);
  });

  it('security row 104: by packets that go on and on, serves soon, and stays the same process', async () => {
    const kinds = PACKETS.map(([, content]) => content);
    let next = 0;
    const flood = setInterval(() => void sendModern(kinds[next++ % kinds.length]!), 5);
    track({ close: () => clearInterval(flood) });
    const test = await start();
    const client = await connect();
    await eventually(
      'it is served without UDP',
      (saw) => test.backend.running && saw(test.backend.warnings).length === 1,
    );
    const pid = await pidOf(test);
    await servesAll(client);
    expect(await test.pids()).toEqual([pid]);
    expect((await test.backend.figures()).faults['shadowsocks-2022-udp']).toBe(1);
  });

  it('security row 104: a Start of the same configuration keeps what was learnt, also in another process of the node, and a Start of another one forgets it', async () => {
    const settings = testSettings();
    const test = track(new BackendFixture({ ...settings, keepSeconds: 60 }));
    await test.start(config(), users);
    const client = await connect();
    await endsOnce(test, () => sendQuic(client, 'vless'));
    const { warnings } = test.backend;
    await test.start(config(), users);
    expect(test.backend.warnings).toEqual(warnings);
    await eventually('one engine runs', async (saw) => saw(await test.pids()).length === 1, 10_000);
    const pid = await pidOf(test);
    await test.backend.leave();

    const later = track(new BackendFixture({ ...settings, keepSeconds: 60 }));
    await later.start(config(), users);
    expect(later.backend.warnings).toEqual(warnings);
    expect(await later.pids()).toEqual([pid]);
    await sendQuic(client, 'vless');
    await servesAll(client);
    expect(await later.pids()).toEqual([pid]);

    await later.start(config({ log: { loglevel: 'error' } }), users);
    expect(later.backend.warnings).toEqual([]);
    await endsOnce(later, () => sendQuic(client, 'vless'));
    rmSync(settings.dataDir, { recursive: true, force: true });
  });

  it('security row 105: runs with the feature again after a pause, without cutting a connection, and the pause doubles when the fault comes again', async () => {
    const test = await start();
    const client = await connect();
    const pid = await endsOnce(test, () => sendQuic(client, 'vless'));
    const echo = await startEcho();
    const tunnel = track(await Tunnel.open(socks(client, 'vless'), echo.port));
    await tunnel.echo(1000);
    test.clock.moveOn(DAY);
    await eventually('an engine with the feature takes over', async () => {
      const { handovers } = await test.backend.figures();
      return handovers.configuration === 1;
    });
    expect(test.backend.warnings).toEqual([]);
    const next = (await test.pids()).find((other) => other !== pid);
    await tunnel.echo(1000);
    const began = test.clock.now();
    await eventually('the new engine is ended', async () => {
      await sendQuic(client, 'vless');
      return test.backend.restarts === 2 && test.backend.running;
    });
    await tunnel.echo(1000);
    expect(await test.pids()).not.toContain(next);
    const [until = ''] = new RegExp(TIME).exec(test.backend.warnings[0] ?? '') ?? [];
    expect(Date.parse(until)).toBeGreaterThanOrEqual(began + 2 * DAY - 1000);
    echo.close();
  });

  it('security row 106: nothing is left out for words in its log, whoever wrote them, or for another end', async () => {
    const inbounds = [{ tag: 'in', listen: '127.0.0.1', port: ports.vless, protocol: 'trojan' }];
    const test = track(new BackendFixture());
    const others = { log: { loglevel: 'warning' }, outbounds: [{ protocol: 'blackhole' }] };
    await test.start({ inbounds, ...others }, [
      { email: '1.ann', proxies: { trojan: { password: 'secret' } }, inbounds: ['in'] },
    ]);
    const frame = 'github.com/xtls/xray-core/common/protocol/quic.SniffQUIC(0)';
    await sendTrojanRequest(ports.vless, 'secret', `x\npanic: x\n\ngoroutine 1 [running]:\n${frame}\n\t/x.go:1\n`);
    await eventually('the engine has written it', (saw) => saw(test.lines).some((line) => line.includes(frame)));
    for (const signal of ['SIGABRT', 'SIGKILL'] as const)
      await endsOnce(test, async () => process.kill(await pidOf(test), signal));
    expect(test.backend.warnings).toEqual([]);
    expect((await test.backend.figures()).faults).toEqual({
      ...{ 'shadowsocks-2022-udp': 0, 'quic-sniffing': 0, 'dns-answer': 0 },
    });
  });
});
