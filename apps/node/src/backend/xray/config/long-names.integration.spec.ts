import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type EngineClient, eventually, freePort } from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { ID, METHOD, PROTOCOLS, type Protocol, startClient } from '../../../testing/clients/four-protocols.js';
import { askThroughSocks, SocksPackets, sendThroughSocks } from '../../../testing/clients/socks.js';
import { type DnsAnswer, startDnsServer } from '../../../testing/dns-server.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../../testing/nodes/test-node.js';

const label = (letter: string, length = 63) => letter.repeat(length);
const LONG = [label('a'), label('b'), label('c'), label('d')].join('.');
const LONGEST = [label('a'), label('b'), label('c'), label('d', 61)].join('.');
const DIRECT = { tag: 'direct', protocol: 'freedom', settings: { domainStrategy: 'UseIP' } };
/** A rule for which names are looked up, where `domainStrategy` has them looked up. */
const LOOKS_UP = [{ ip: ['9.9.9.9'], outboundTag: 'direct' }];
/** The longest wait for an answer that should not come; the engine has to live on afterwards. */
const UNANSWERED_MS = 300;
const GUARDS = [
  { guard: 'with', privateNetworks: { allowed: ['127.7.0.0/16'] } },
  { guard: 'without', privateNetworks: undefined },
];

describe('names that are longer than the DNS allows', () => {
  let test: NodeFixture;
  let web: Server;
  let dns: Awaited<ReturnType<typeof startDnsServer>>;
  let client: EngineClient;
  let muxed: EngineClient;
  const names = new Map<string, DnsAnswer>([[LONGEST, ['127.7.0.1']]]);
  const ports = new Map<string, number>();
  let webPort: number;
  let pid: number | undefined;

  beforeAll(async () => {
    test = createNodeFixture();
    web = createServer((_request, response) => response.end('inside'));
    await once(web.listen(0), 'listening');
    webPort = (web.address() as AddressInfo).port;
    dns = await startDnsServer(names);
    for (const tag of [...PROTOCOLS, 'http', 'socks']) ports.set(tag, await freePort());
    client = await startClient(ports);
    muxed = await startClient(ports, { mux: { enabled: true, concurrency: 8, xudpConcurrency: 8 } });
  });
  afterEach(() => test.node.stop());
  afterAll(async () => {
    await client.close();
    await muxed.close();
    dns.close();
    web.close();
    await test.close();
  });

  async function start(
    privateNetworks: (typeof GUARDS)[number]['privateNetworks'],
    config: object = {},
    sniffing: object = {},
  ) {
    const inbounds = [
      { tag: 'vless', protocol: 'vless', settings: { decryption: 'none' } },
      { tag: 'vmess', protocol: 'vmess' },
      { tag: 'trojan', protocol: 'trojan' },
      { tag: 'shadowsocks', protocol: 'shadowsocks', settings: { method: METHOD, network: 'tcp,udp' } },
      { tag: 'http', protocol: 'http' },
      { tag: 'socks', protocol: 'socks', settings: { udp: true } },
    ].map((inbound) => ({ listen: '127.0.0.1', port: ports.get(inbound.tag), ...inbound, sniffing }));
    const proxies = {
      ...{ vless: { id: ID }, vmess: { id: ID }, trojan: { password: 'secret' } },
      shadowsocks: { password: 'secret', method: METHOD },
    };
    const before = await test.enginePids();
    await test.node.start(
      startRequest(
        { dns: { servers: [{ address: '127.0.0.1', port: dns.port }] }, outbounds: [DIRECT], ...config, inbounds },
        {
          users: [{ email: '1.ann', proxies, inbounds: [...PROTOCOLS] }],
          excludeInbounds: ['http', 'socks'],
          ...(privateNetworks && { privateNetworks }),
        },
      ),
    );
    pid = (await test.enginePids()).find((one) => !before.includes(one));
  }

  const socks = (protocol: Protocol, through = client) => through.port + PROTOCOLS.indexOf(protocol);
  const ask = (host: string, header = host, proxy = socks('vless'), withinMs?: number) =>
    askThroughSocks(proxy, { host, port: webPort }, header, withinMs);
  /** Asks for a name that is too long, which the engine may leave without an answer. */
  const askForLong = (host: string, header = host, proxy?: number) => ask(host, header, proxy, UNANSWERED_MS);
  /** The engine is the one that was started, asked no server for a long name, and looks up the longest one. */
  async function expectUnharmed(proxy = socks('vless')) {
    expect(await ask(LONGEST, LONGEST, proxy)).toContain('inside');
    expect(await test.enginePids()).toContain(pid);
    expect(dns.asked.filter((name) => name.length > LONGEST.length)).toEqual([]);
  }

  it.each(PROTOCOLS.flatMap((protocol) => GUARDS.map((given) => ({ protocol, ...given }))))(
    'security row 80: a user of $protocol who asks for one does not end the engine, $guard private_networks',
    async ({ protocol, privateNetworks }) => {
      for (const domainStrategy of ['AsIs', 'IPIfNonMatch', 'IPOnDemand']) {
        await start(privateNetworks, { routing: { domainStrategy, rules: LOOKS_UP } });
        const proxies = [socks(protocol), socks(protocol, muxed)];
        const sessions = await Promise.all([...proxies, ...proxies].map((proxy) => SocksPackets.open(proxy)));
        // The first packet of a session, and one in a session that goes elsewhere.
        for (const session of sessions.slice(2)) session.send('127.7.0.1', 9, 'first');
        for (const session of sessions) session.send(LONG, 9, 'long');
        expect(await Promise.all(proxies.map((proxy) => askForLong(LONG, LONG, proxy)))).toEqual(['', '']);
        for (const proxy of proxies) await expectUnharmed(proxy);
        for (const session of sessions) session.close();
      }
    },
    60_000,
  );

  it.each(GUARDS.flatMap((given) => [false, true].map((routeOnly) => ({ ...given, routeOnly }))))(
    'security row 80: one that is sniffed (routeOnly: $routeOnly) does not end the engine, $guard private_networks',
    async ({ privateNetworks, routeOnly }) => {
      const sniffing = { enabled: true, destOverride: ['http', 'tls'], routeOnly };
      // Fewer characters than bytes, and a sign that is a letter of ASCII in lower case.
      const hosts = [LONG, label('h', 400), label('é', 200), label('\u212a', 100), `${label('x', 300)}.com.`];
      for (const domainStrategy of ['AsIs', 'IPIfNonMatch', 'IPOnDemand']) {
        await start(privateNetworks, { routing: { domainStrategy, rules: LOOKS_UP } }, sniffing);
        const target = { host: '127.7.0.1', port: webPort };
        await Promise.all([
          askForLong(LONG, 'in.test'),
          ...hosts.map((host) => askForLong('127.7.0.1', host)),
          ...hosts.map((host) => sendThroughSocks(socks('vless'), target, greeting(host), UNANSWERED_MS)),
        ]);
        await expectUnharmed();
      }
    },
    60_000,
  );

  it.each(GUARDS)(
    'security row 80: one by http or socks, for any outbound, does not end the engine, $guard private_networks',
    async ({ privateNetworks }) => {
      const outbounds = [
        { tag: 'loop', protocol: 'loopback', settings: { inboundTag: 'again' } },
        { ...DIRECT, tag: 'chained', streamSettings: { sockopt: { dialerProxy: 'direct' } } },
        { ...DIRECT, tag: 'targets', targetStrategy: 'ForceIP' },
        { tag: 'dns', protocol: 'dns' },
        { tag: 'proxied', ...vlessOutbound(ports.get('vless') ?? 0, ID) },
      ];
      for (const tried of outbounds) {
        const rules = [
          { inboundTag: ['http', 'socks'], domain: ['regexp:^.{100}'], outboundTag: tried.tag },
          { inboundTag: ['again'], outboundTag: 'direct' },
        ];
        await start(privateNetworks, { outbounds: [DIRECT, tried], routing: { rules } });
        const hosts = [LONG, label('h', 400), label('é', 200)];
        await Promise.all([
          askForLong(LONG, LONG, ports.get('socks')),
          ...hosts.map((host) => askByHttp(ports.get('http') ?? 0, host)),
        ]);
        await expectUnharmed();
      }
    },
    60_000,
  );

  it.each([
    'tcp://127.0.0.1:9',
    'tcp+local://127.0.0.1:9',
    'https://127.0.0.1:9/dns-query',
    'quic+local://127.0.0.1:9',
  ])(
    'security row 80: one does not end the engine where %s would be asked, whatever hosts say',
    async (address) => {
      const hosts = { [LONGEST]: '127.7.0.1', 'keyword:aaaa': '127.7.0.1' };
      for (const { privateNetworks } of GUARDS) {
        await start(privateNetworks, { dns: { servers: [address], hosts } });
        expect(await Promise.all([LONG, `x${LONG.slice(1)}`].map((host) => askForLong(host)))).toEqual(['', '']);
        await expectUnharmed();
      }
    },
    60_000,
  );

  async function askByHttp(port: number, host: string) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(`GET http://${host}:${webPort}/ HTTP/1.1\r\nHost: ${host}:${webPort}\r\nConnection: close\r\n\r\n`);
    await eventually('the request ends', () => socket.closed);
  }
});

/** A greeting of TLS for a name. */
function greeting(name: string): Buffer {
  const host = Buffer.from(name);
  const list = Buffer.concat([Buffer.from([0]), uint16(host.length), host]);
  const extension = Buffer.concat([uint16(0), uint16(list.length + 2), uint16(list.length), list]);
  const body = Buffer.concat([
    ...[Buffer.from([3, 3]), Buffer.alloc(32, 65), Buffer.from([0, 0, 2, 0x13, 1, 1, 0])],
    ...[uint16(extension.length), extension],
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), uint16(body.length), body]);
  return Buffer.concat([Buffer.from([0x16, 3, 1]), uint16(message.length), message]);
}

const uint16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
