import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { hostname } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type EngineClient, eventually, freePort } from '@rampart/testing';
import { ID, METHOD, PROTOCOLS, type Protocol, startClient } from '../../../../testing/clients/four-protocols.js';
import { askThroughSocks, SocksPackets, sendThroughSocks } from '../../../../testing/clients/socks.js';
import { type DnsAnswer, startDnsServer } from '../../../../testing/dns-server.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../../../testing/nodes/test-node.js';

/** Addresses of the internet, which this machine has while the tests run: no packet leaves it. */
const PUBLIC = { 4: '25.25.25.25', 6: '2a10:25::25' };
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;

interface Echo {
  readonly port: number;
  readonly heard: string[];
  close(): void;
}

describe('users of a node that keeps them out of private networks', () => {
  let test: NodeFixture;
  let web: Server;
  let echo: Echo;
  let dns: Awaited<ReturnType<typeof startDnsServer>>;
  let client: EngineClient;
  let muxed: EngineClient;
  const ports = new Map<Protocol, number>();
  const names = new Map<string, DnsAnswer>();
  let webPort: number;
  let sessions = 0;

  beforeAll(async () => {
    if (isRoot) changeAddresses('add');
    test = createNodeFixture();
    web = createServer(({ socket }, response) => {
      response.end(`inside at ${socket.localAddress?.replace('::ffff:', '')}\n`);
    });
    await once(web.listen(0, '::'), 'listening');
    webPort = portOf(web);
    echo = await startEcho();
    dns = await startDnsServer(names);
    for (const protocol of PROTOCOLS) ports.set(protocol, await freePort());
    client = await startClient(ports);
    muxed = await startClient(ports, { mux: { enabled: true, concurrency: 8, xudpConcurrency: 8 } });
  });

  afterEach(() => test.node.stop());

  afterAll(async () => {
    await client.close();
    await muxed.close();
    dns.close();
    echo.close();
    web.close();
    await test.close();
    if (isRoot) changeAddresses('del');
  });

  const inbounds = (others: object = {}) =>
    [
      { tag: 'vless', protocol: 'vless', settings: { decryption: 'none' } },
      { tag: 'vmess', protocol: 'vmess' },
      { tag: 'trojan', protocol: 'trojan' },
      { tag: 'shadowsocks', protocol: 'shadowsocks', settings: { method: METHOD, network: 'tcp,udp' } },
    ].map((inbound) => ({ listen: '127.0.0.1', port: ports.get(inbound.tag as Protocol), ...inbound, ...others }));

  const start = (
    allowed: readonly string[] | undefined,
    config: { readonly inbounds?: readonly object[]; readonly [key: string]: unknown } = {},
    sniffing: object = {},
  ) => {
    const { inbounds: more = [], ...rest } = config;
    return test.node.start(
      startRequest(
        {
          dns: { servers: [{ address: '127.0.0.1', port: dns.port }] },
          outbounds: [{ tag: 'direct', protocol: 'freedom' }],
          ...rest,
          inbounds: [...inbounds(sniffing), ...more],
        },
        {
          users: [
            {
              email: '1.ann',
              proxies: {
                vless: { id: ID },
                vmess: { id: ID },
                trojan: { password: 'secret' },
                shadowsocks: { password: 'secret', method: METHOD },
              },
              inbounds: [...PROTOCOLS],
            },
          ],
          ...(allowed && { privateNetworks: { allowed: [...allowed] } }),
        },
      ),
    );
  };

  /** The SOCKS port of the client for a protocol. */
  const socks = (protocol: Protocol, through = client) => through.port + PROTOCOLS.indexOf(protocol);
  const ask = (host: string, hostHeader?: string, protocol: Protocol = 'vless', through = client) =>
    askThroughSocks(socks(protocol, through), { host, port: webPort }, hostHeader);

  /** Sends each packet until its target has it, or until those after it had time to arrive; returns what was received. */
  async function sendAll(protocol: Protocol, targets: readonly string[], through = client): Promise<string[]> {
    const session = await SocksPackets.open(socks(protocol, through));
    sessions += 1;
    const from = `session ${sessions}: `;
    const heard = () => echo.heard.flatMap((text) => (text.startsWith(from) ? [text.slice(from.length)] : []));
    for (const [index, target] of targets.entries()) {
      session.send(target, echo.port, `${from}${target}#${index}`);
      // One after another: the first one decides where the session goes.
      await eventually('it arrives', (saw) => saw(heard()).some((text) => text.endsWith(`#${index}`)), 1500).catch(
        () => undefined,
      );
    }
    session.close();
    return heard();
  }

  /** What users of all protocols see at the same time. */
  async function seenBy<Seen>(look: (protocol: Protocol) => Promise<Seen>): Promise<(protocol: Protocol) => Seen> {
    const seen = new Map(await Promise.all(PROTOCOLS.map(async (one) => [one, await look(one)] as const)));
    return (protocol) => seen.get(protocol) as Seen;
  }

  const PRIVATE_NAMES: [string, DnsAnswer][] = [
    ['a.private.test', ['127.0.0.1']],
    ['aaaa.private.test', ['::1']],
    ['both.private.test', ['127.0.0.1', '::1']],
    ['mapped.private.test', ['::ffff:127.0.0.1']],
    ['nat64.private.test', ['64:ff9b::7f00:1']],
    ['zero.private.test', ['0.0.0.0', '::']],
    ['alias.private.test', { alias: 'a.private.test' }],
  ];

  it('without private_networks, the configuration runs as it is written', async () => {
    names.set('a.private.test', ['127.0.0.1']);
    await start(undefined);
    expect(await ask('127.0.0.1')).toContain('inside');
    expect(await ask('localhost')).toContain('inside');
    expect(await sendAll('vless', ['127.7.0.1', '127.0.0.1'])).toEqual(['127.7.0.1#0', '127.0.0.1#1']);
  });

  describe('where nothing is allowed', () => {
    const literals = [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      '::127.0.0.1',
      '0.0.0.0',
      '::',
      '2002:7f00:1::',
    ];
    const spellings = [
      'localhost',
      'localhost.',
      'LOCALHOST',
      hostname(),
      '127.1',
      '0x7f.1',
      '2130706433',
      '127.0.0.1.',
      '::1%lo',
      '[::1]',
    ];
    const targets = [...literals, ...spellings, ...PRIVATE_NAMES.map(([name]) => name)];
    let answersOf: (protocol: Protocol) => string[];
    beforeAll(async () => {
      for (const [name, answer] of PRIVATE_NAMES) names.set(name, answer);
      await start([]);
      answersOf = await seenBy((protocol) => Promise.all(targets.map((target) => ask(target, target, protocol))));
    }, 60_000);

    it.each(PROTOCOLS)('security row 32: a user of %s reaches nothing at private addresses and names', (protocol) => {
      const answers = answersOf(protocol);
      expect(answers.map((answer, index) => [targets[index], answer])).toEqual(targets.map((target) => [target, '']));
    });
  });

  it('security row 33: a name that answers a private address the second time is not dialled there', async () => {
    let questions = 0;
    // The first rule of the configuration, the engine and the outbound may each ask.
    names.set('rebinding.test', () => {
      questions += 1;
      return [questions % 2 === 1 ? '127.7.0.1' : '127.0.0.1'];
    });
    await start(['127.7.0.0/16'], {
      routing: { domainStrategy: 'IPIfNonMatch', rules: [{ ip: ['9.9.9.9'], outboundTag: 'direct' }] },
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask('rebinding.test')));
    expect(answers.filter((answer) => answer.includes('inside at 127.7.0.1')).length).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer.includes('inside at 127.0.0.1'))).toEqual([]);
  });

  it.each(['AsIs', 'IPIfNonMatch', 'IPOnDemand'])(
    'security row 34: a user reaches exactly the allowed networks, with domainStrategy %s',
    async (domainStrategy) => {
      names.set('in.test', ['127.7.0.1']);
      names.set('neighbour.test', ['127.8.0.1']);
      names.set('partly.test', ['127.8.0.1', '127.7.0.1']);
      await start(['127.7.0.0/16'], { routing: { domainStrategy } });
      const targets = ['127.7.0.1', 'in.test', 'partly.test', '127.8.0.1', 'neighbour.test', '127.6.255.255'];
      const answers = await Promise.all(targets.map((target) => ask(target)));
      expect(answers.map((answer) => answer.includes('inside'))).toEqual([true, true, true, false, false, false]);
    },
    30_000,
  );

  asRoot(
    'security row 34: a user reaches public addresses and names (needs root, to give this machine a public address)',
    async () => {
      names.set('public.test', [PUBLIC[4], PUBLIC[6]]);
      names.set('public6.test', [PUBLIC[6]]);
      names.set('mixed.test', ['127.0.0.1', PUBLIC[4], '::1']);
      await start([]);
      const targets = [PUBLIC[4], PUBLIC[6], 'public.test', 'public6.test', 'mixed.test'];
      const seen = await seenBy((protocol) =>
        Promise.all([
          Promise.all(targets.map(async (target) => (await ask(target, target, protocol)).includes('inside'))),
          sendAll(protocol, [PUBLIC[4]]),
          sendAll(protocol, ['public.test']),
        ]),
      );
      for (const protocol of PROTOCOLS)
        expect(seen(protocol)).toEqual([targets.map(() => true), [`${PUBLIC[4]}#0`], ['public.test#0']]);
    },
    60_000,
  );

  describe('where one private network is allowed', () => {
    let seenOf: (protocol: Protocol) => { first: string[][]; later: readonly string[] };
    beforeAll(async () => {
      for (const [name, answer] of PRIVATE_NAMES) names.set(name, answer);
      names.set('in.test', ['127.7.0.1']);
      await start(['127.7.0.0/16']);
      seenOf = await seenBy(async (protocol) => {
        const refused = ['127.0.0.1', 'a.private.test', 'localhost'];
        const first = await Promise.all(refused.map((target) => sendAll(protocol, [target])));
        const other = await startEcho('127.0.0.1');
        const session = await SocksPackets.open(socks(protocol));
        session.send('127.7.0.1', echo.port, 'first');
        await eventually('the first one is answered', (saw) => saw(session.heard).includes('first'));
        for (const target of ['127.0.0.1', 'localhost', 'a.private.test', '::1'])
          session.send(target, other.port, target);
        session.send('in.test', echo.port, `last of ${protocol}`);
        await eventually('the last one arrives', (saw) => saw(echo.heard).includes(`last of ${protocol}`));
        session.close();
        other.close();
        return { first, later: other.heard };
      });
    }, 30_000);

    it.each(PROTOCOLS)(
      'security row 35: UDP of a user of %s leaves for private addresses and names neither first nor later',
      (protocol) => {
        expect(seenOf(protocol)).toEqual({ first: [[], [], []], later: [] });
      },
    );
  });

  describe('where names are sniffed', () => {
    const headers = ['127.0.0.1', 'a.private.test'];
    const answers: string[][] = [];
    beforeAll(async () => {
      names.set('a.private.test', ['127.0.0.1']);
      for (const routeOnly of [false, true]) {
        await start(
          ['127.7.0.0/16'],
          { routing: { domainStrategy: 'IPOnDemand' } },
          { sniffing: { enabled: true, destOverride: ['http', 'tls'], routeOnly } },
        );
        answers.push(await Promise.all(headers.map((header) => ask('127.7.0.1', `${header}:${webPort}`))));
      }
    }, 30_000);

    it.each([
      ['an address', 0],
      ['a name', 1],
    ])('security row 32: a user who has %s sniffed reaches nothing there', (_what, header) => {
      expect(answers.map((ofHeaders) => ofHeaders[header])).toEqual(['', '']);
    });
  });

  it('security row 32: a user whose name is sniffed for routing alone does not reach the private address behind it', async () => {
    names.set('in.test', ['127.7.0.1']);
    const sniffing = { enabled: true, destOverride: ['http'], routeOnly: true };
    await start(['127.7.0.0/16'], { routing: { domainStrategy: 'IPOnDemand' } }, { sniffing });
    expect(await ask('127.0.0.1', 'in.test')).toContain('inside at 127.7.0.1');
  });

  it('security row 32: no outbound of a configuration leads a user to private addresses', async () => {
    for (const [name, answer] of PRIVATE_NAMES) names.set(name, answer);
    const outbounds: Record<string, object> = {
      'freedom with strategies': {
        protocol: 'freedom',
        settings: { domainStrategy: 'UseIPv4' },
        targetStrategy: 'UseIP',
        streamSettings: { sockopt: { domainStrategy: 'UseIPv4' } },
      },
      'freedom in another spelling': {
        protocol: 'Direct',
        StreamSettings: { SockOpt: { DomainStrategy: 'AsIs', addressPortStrategy: 'TxtPortAndAddress' } },
      },
      'freedom through freedom': { protocol: 'freedom', streamSettings: { sockopt: { dialerProxy: 'direct' } } },
      'freedom by proxySettings': { protocol: 'freedom', proxySettings: { tag: 'direct' } },
      'freedom with a port': { protocol: 'freedom', settings: { redirect: `:${webPort}` } },
      'a loopback': { protocol: 'loopback', settings: { inboundTag: 'again' } },
      dns: { protocol: 'dns', settings: { nonIPQuery: 'skip' } },
    };
    const targets = ['localhost', 'a.private.test', '127.0.0.1'];
    const all = Object.keys(outbounds);
    // Each inbound leads to an outbound of its own.
    for (let at = 0; at < all.length; at += PROTOCOLS.length) {
      const tried = all.slice(at, at + PROTOCOLS.length);
      await start([], {
        outbounds: [
          { tag: 'direct', protocol: 'freedom' },
          ...tried.map((name) => ({ tag: name, ...outbounds[name] })),
        ],
        routing: {
          rules: [
            ...tried.map((name, index) => ({ inboundTag: [PROTOCOLS[index]], outboundTag: name })),
            { inboundTag: ['again'], outboundTag: 'direct' },
          ],
        },
      });
      const answers = tried.map((name, index) =>
        Promise.all(targets.map(async (target) => [name, target, await ask(target, target, PROTOCOLS[index])])),
      );
      expect((await Promise.all(answers)).flat()).toEqual(
        tried.flatMap((name) => targets.map((target) => [name, target, ''])),
      );
    }
    await start([], {
      outbounds: [
        { tag: 'a', protocol: 'freedom' },
        { tag: 'b', protocol: 'freedom' },
      ],
      routing: {
        balancers: [{ tag: 'all', selector: ['a', 'b'] }],
        rules: [{ network: 'tcp,udp', balancerTag: 'all' }],
      },
    });
    expect(await Promise.all([ask('localhost'), ask('127.0.0.1')])).toEqual(['', '']);
  }, 60_000);

  describe.each(['again', ''])('where a loopback has the inboundTag "%s"', (inboundTag) => {
    let seenOf: (protocol: Protocol) => { allowed: boolean[]; refused: unknown[] };
    beforeAll(async () => {
      names.set('in.test', ['127.7.0.1']);
      await start(['127.7.0.0/16'], {
        outbounds: [
          { tag: 'direct', protocol: 'freedom' },
          { tag: 'loop', protocol: 'loopback', settings: { inboundTag } },
        ],
        routing: { rules: [{ domain: ['full:in.test'], inboundTag: [...PROTOCOLS], outboundTag: 'loop' }] },
      });
      // The engine gives the tag of the loopback to the whole connection; later streams to the name go to "direct".
      seenOf = await seenBy(async (protocol) => {
        const allowed: boolean[] = [];
        for (const target of ['in.test', '127.7.0.1'])
          allowed.push((await ask(target, target, protocol, muxed)).includes('inside at 127.7.0.1'));
        const refused = await Promise.all([
          ask('127.0.0.1', '127.0.0.1', protocol, muxed),
          ask('::1', '::1', protocol, muxed),
          sendAll(protocol, ['127.0.0.1'], muxed),
        ]);
        return { allowed, refused };
      });
    }, 30_000);

    it.each(PROTOCOLS.map((protocol) => ({ protocol, inboundTag })))(
      'security row 32: a loopback (inboundTag "$inboundTag") opens nothing to the other streams of a mux connection of $protocol',
      ({ protocol }) => {
        expect(seenOf(protocol)).toEqual({ allowed: [true, true], refused: ['', '', []] });
      },
    );
  });

  it('security row 32: hosts of the configuration and of the machine give no private address', async () => {
    const hosts = {
      'host.test': '127.0.0.1',
      'domain:hosts.test': ['127.0.0.1', '127.7.0.1'],
      'alias.test': 'localhost',
      'keyword:six': '[::1]',
    };
    await start(['127.7.0.0/16'], {
      dns: { hosts, useSystemHosts: true, servers: ['localhost', 'fakedns'] },
      fakedns: [{ ipPool: '198.18.0.0/15', poolSize: 100 }],
    });
    const targets = ['host.test', 'hosts.test', 'alias.test', 'six.test', 'localhost', hostname()];
    const answers = await Promise.all(targets.map((target) => ask(target)));
    expect(answers.map((answer) => answer.includes('inside'))).toEqual([false, true, false, false, false, false]);
  }, 30_000);

  it('security row 32: UDP over TCP, whose targets no rule sees, leads nowhere', async () => {
    await start([]);
    const targets = ['sp.v2.udp-over-tcp.arpa', 'sp.udp-over-tcp.arpa'];
    expect(await Promise.all(targets.map((name) => ask(name)))).toEqual(['', '']);
  });

  asRoot.each(['AsIs', 'IPIfNonMatch', 'IPOnDemand'])(
    'security row 32: UDP over TCP leads nowhere behind a name sniffed for routing alone, with domainStrategy %s (needs root, for a port below 1024)',
    async (domainStrategy) => {
      names.set('innocent.test', ['127.7.0.1']);
      const inside = await startEcho('::1', SPELT_PORT);
      const direct = { tag: 'direct', protocol: 'freedom' };
      const outbounds = {
        direct: [direct],
        chained: [{ ...direct, tag: 'chained', streamSettings: { sockopt: { dialerProxy: 'direct' } } }, direct],
        loopback: [{ tag: 'loop', protocol: 'loopback', settings: { inboundTag: 'again' } }, direct],
      };
      for (const list of Object.values(outbounds)) {
        await start(
          ['127.7.0.0/16'],
          { outbounds: list, routing: { domainStrategy, rules: [{ inboundTag: ['again'], outboundTag: 'direct' }] } },
          { sniffing: { enabled: true, destOverride: ['http', 'tls'], routeOnly: true } },
        );
        const target = { host: 'sp.v2.udp-over-tcp.arpa', port: 443 };
        await sendThroughSocks(socks('vless'), target, greetingWithPacket('innocent.test', 'of the user'), 1000);
      }
      inside.close();
      expect(inside.heard.map((text) => text.slice(0, 80))).toEqual([]);
    },
    30_000,
  );

  it.each(['AsIs', 'IPIfNonMatch', 'IPOnDemand'])(
    'security row 32: who connects to a tunnel with a fixed target chooses none by a name that is sniffed for routing, with domainStrategy %s',
    async (domainStrategy) => {
      const hit: string[] = [];
      const fixed = await startTcp('127.7.0.1', 0, () => hit.push('fixed'));
      const port = portOf(fixed);
      const chosen = await startTcp('127.0.0.9', port, () => hit.push('chosen'));
      const tunnelPort = await freePort();
      const sniffing = { enabled: true, destOverride: ['http', 'tls'], routeOnly: true };
      await start([], {
        routing: { domainStrategy, rules: [{ ip: ['9.9.9.9'], outboundTag: 'direct' }] },
        inbounds: [
          {
            ...{ tag: 'tunnel', listen: '127.0.0.1', port: tunnelPort, protocol: 'dokodemo-door', sniffing },
            settings: { address: '127.7.0.1', port, network: 'tcp' },
          },
        ],
      });
      const socket = connect(tunnelPort, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.9\r\n\r\n');
      await eventually('it arrives', (saw) => saw(hit).length > 0);
      socket.destroy();
      fixed.close();
      chosen.close();
      expect(hit).toEqual(['fixed']);
    },
    30_000,
  );
});

function changeAddresses(action: 'add' | 'del'): void {
  execFileSync('ip', ['address', action, `${PUBLIC[4]}/32`, 'dev', 'lo']);
  execFileSync('ip', [
    '-6',
    'address',
    action,
    `${PUBLIC[6]}/128`,
    'dev',
    'lo',
    ...(action === 'add' ? ['nodad'] : []),
  ]);
}

async function startTcp(host: string, port: number, onConnection: () => void): Promise<TcpServer> {
  const server = createTcpServer((socket) => {
    onConnection();
    socket.on('error', () => undefined);
    socket.end('x');
  });
  await once(server.listen(port, host), 'listening');
  return server;
}

function portOf(server: TcpServer | Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A port of UDP that a greeting of TLS can spell: its upper byte is the kind of the message, 1. */
const SPELT_PORT = 0x01_2c;

/**
 * A greeting of TLS that asks for UDP over TCP as well: 0x16 (connected), version 3.2 (a name of two bytes), the length of the
 * record (the name, "::"), kind and length of the message (the port, and two bytes of the first packet's length), and a packet.
 */
function greetingWithPacket(name: string, packet: string): Buffer {
  const recordLength = 0x3a3a;
  const host = Buffer.from(name);
  const list = Buffer.concat([Buffer.from([0, host.length + 3, 0, 0, host.length]), host]);
  const head = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32, 65), Buffer.from([0, 0, 2, 0x13, 1, 1, 0])]);
  const extensions = uint16(recordLength - 4 - head.length - 2);
  const start = Buffer.concat([head, extensions, Buffer.from([0, 0]), uint16(list.length), list]);
  const own = Buffer.concat([uint16(packet.length), Buffer.from(packet)]);
  const fill = recordLength - 4 - start.length - own.length;
  return Buffer.concat([
    ...[Buffer.from([0x16, 3, 2]), uint16(recordLength), uint16(SPELT_PORT), uint16(start.length)],
    ...[start, own, uint16(fill), Buffer.alloc(fill, 66)],
  ]);
}

const uint16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);

async function startEcho(host = '::', port = 0): Promise<Echo> {
  const socket: Socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const heard: string[] = [];
  socket.on('message', (packet, peer) => {
    heard.push(packet.toString());
    socket.send(packet, peer.port, peer.address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return { port: socket.address().port, heard, close: () => socket.close() };
}
