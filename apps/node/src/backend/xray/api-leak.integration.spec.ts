import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  engineVersion,
  fetchThrough,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../../testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../testing/nodes/test-node.js';
import { API_HOST } from './names/reserved.js';

const ID = '11111111-1111-4111-8111-111111111111';
const users = [{ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] }];

/** Configurations in which a user would reach, or share, the channel to the engine's API without the node's edits. */
const configs: [string, object][] = [
  [
    'calls its only outbound api',
    { api: { tag: 'api' }, outbounds: [{ tag: 'api', protocol: 'freedom', settings: ALLOW_PRIVATE }] },
  ],
  [
    'sends its users to its own api',
    {
      api: { tag: 'api', services: ['HandlerService'] },
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
      routing: { rules: [{ type: 'field', inboundTag: ['vless'], outboundTag: 'api' }] },
    },
  ],
  [
    'names its api in another case',
    {
      API: { Tag: 'api', Services: ['HandlerService'] },
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
      Routing: { Rules: [{ InboundTag: ['vless'], OutboundTag: 'api' }] },
    },
  ],
  [
    'balances over every outbound there is',
    {
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
      routing: {
        balancers: [{ tag: 'all', selector: [''] }],
        rules: [{ type: 'field', inboundTag: ['vless'], balancerTag: 'all' }],
      },
    },
  ],
];

/** The answer to a user who requests the page by HTTP/2, or an address that the engine blocks. */
const ITS_OWN = engineBlocksPrivate() ? /^$/ : /^HTTP\/1.1 400 /;

/** An engine that lets nobody through keeps them waiting, where its API would answer at once. */
const PATIENCE_MS = engineBlocksPrivate() ? 3000 : 20_000;

describe('access to the engine API', () => {
  let test: NodeFixture;
  let web: LocalWeb;
  let client: EngineClient;
  let port: number;

  beforeAll(async () => {
    test = createNodeFixture();
    web = await startLocalWeb();
    port = await freePort();
    client = await startEngineClient(vlessOutbound(port, ID));
  });

  afterEach(() => test.node.stop());

  afterAll(async () => {
    await client.close();
    await web.close();
    await test.close();
  });

  const start = (others: object, more: object[] = []) => {
    const vless = { tag: 'vless', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } };
    const inbounds = [vless, ...more];
    return test.node.start(startRequest({ inbounds, ...others }, { users }));
  };

  it.each(configs)('the engine API stays closed for users when the configuration %s', async (_name, others) => {
    await start(others);
    // If a balancer chose the API, every second page would fail.
    for (let tries = 0; tries < 10; tries += 1) expect(await client.fetch(web.url)).toBe(web.page);
  });

  it.each([
    ['has no outbounds', { outbounds: [] }],
    ['says nothing of outbounds', {}],
  ])('the engine API stays closed for users when the configuration %s', async (_name, others) => {
    const proxy = await freePort();
    await start(others, [{ tag: 'http', listen: '127.0.0.1', port: proxy, protocol: 'http' }]);
    // From 26.7 on, the outbound that the node adds allows private addresses to users of HTTP, not to those of
    // VLESS.
    for (let tries = 0; tries < 10; tries += 1) expect(await fetchThrough(proxy, web.url)).toBe(web.page);
    const asked = Array.from({ length: 10 }, () => ask(client.port, new URL(web.url).host, PATIENCE_MS));
    for (const answer of await Promise.all(asked)) expect(answer).toMatch(ITS_OWN);
  });

  it.each([
    ['null as its selector', { balancers: [{ tag: 'all', selector: [null] }] }],
    ['nothing as its selector', { balancers: [{ tag: 'all', selector: 'direct,' }] }],
  ])('the engine API stays closed for users when a balancer has %s', async (_name, routing) => {
    const rules = [{ type: 'field', inboundTag: ['vless'], balancerTag: 'all' }];
    await start({
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
      routing: { ...routing, rules },
    });
    for (let tries = 0; tries < 10; tries += 1) expect(await client.fetch(web.url)).toBe(web.page);
  });

  it('security row 20: a user who requests names and addresses of the engine API reaches nothing', async () => {
    await start({ outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }] });
    expect(await client.fetch(web.url)).toBe(web.page);
    const run = join(test.settings.dataDir, 'run');
    const socket = join(run, readdirSync(run)[0] ?? '', 'api.sock');
    const tag = await channelTag(socket);
    expect(tag).toMatch(/^~rampart-in-[0-9a-f]{32}$/);
    const unix = [socket, `unix:${socket}`, `@${socket}`];
    const names = ['api:80', `${API_HOST}:80`, '0.0.0.0:80', '127.0.0.1:0', `${tag}:80`, '~rampart-api-:80', ...unix];
    const answers = await Promise.all(names.map((name) => ask(client.port, name)));
    expect(answers).toEqual(names.map(() => ''));
    // An address that exists answers.
    expect(await ask(client.port, new URL(web.url).host)).toMatch(/^HTTP\/1.1 400 /);
  }, 30_000);

  it('security row 20: the API port that a configuration requests is not opened', async () => {
    const apiPort = await freePort();
    await start({ api: { tag: 'api', listen: `127.0.0.1:${apiPort}` }, outbounds: [{ protocol: 'freedom' }] });
    await expect(connected(apiPort)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('an API inbound of the configuration is removed', async () => {
    const apiPort = await freePort();
    await test.node.start(
      startRequest({
        api: { tag: 'api', services: ['HandlerService'] },
        inbounds: [
          {
            tag: 'door',
            listen: '127.0.0.1',
            port: apiPort,
            protocol: 'dokodemo-door',
            settings: { address: '127.0.0.1' },
          },
        ],
        outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
        routing: { rules: [{ type: 'field', inboundTag: ['door'], outboundTag: 'api' }] },
      }),
    );
    await expect(connected(apiPort)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([
    ['an outbound', { outbounds: [{ tag: '~rampart-api-1', protocol: 'freedom' }] }, 'outbounds[0].tag'],
    ['a rule', { routing: { rules: [{ outboundTag: '~rampart-api-1' }] } }, 'routing.rules[0].outboundTag'],
  ])('a configuration with a reserved name in %s is refused', async (_where, others, path) => {
    await expect(start(others)).rejects.toMatchObject({
      code: 'CONFIG_REFUSED',
      message: `${path} begins with "~rampart-", which is reserved for the node`,
    });
  });
});

/**
 * From 26.7 on, the engine's freedom outbound blocks private addresses for users of VLESS unless a rule allows them.
 */
function engineBlocksPrivate(): boolean {
  const [year = 0, month = 0] = engineVersion().split('.').map(Number);
  return year > 26 || (year === 26 && month >= 7);
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy()));
    socket.once('error', reject);
  });
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';

/** The answer to an HTTP/2 request, which the engine's API would understand; empty when the connection ends or time is up. */
function ask(proxyPort: number, target: string, withinMs = 20_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(proxyPort, '127.0.0.1', () => socket.write(`CONNECT ${target} HTTP/1.1\r\n\r\n`));
    socket.setTimeout(withinMs, () => socket.destroy());
    let accepted = false;
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      // The client's own proxy accepts before it knows the result.
      if (!accepted && text.startsWith('HTTP/1.1 200')) {
        accepted = true;
        socket.write(PREFACE, 'latin1');
      } else {
        resolve(accepted ? text : '');
        socket.destroy();
      }
    });
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}

/** The tag of the inbound that leads to the engine's API, as the API itself reports it. */
async function channelTag(socket: string): Promise<string | undefined> {
  const api = new Client(`unix:${socket}`, credentials.createInsecure(), { 'grpc.http_connect_target': 'dns:api:80' });
  const method = '/xray.app.proxyman.command.HandlerService/ListInbounds';
  const same = (bytes: Buffer) => bytes;
  try {
    const inbounds = await new Promise<Buffer | undefined>((resolve, reject) => {
      api.makeUnaryRequest(method, same, same, Buffer.alloc(0), (error, answer) =>
        error ? reject(error) : resolve(answer),
      );
    });
    return /~rampart-in-\w+/.exec(inbounds?.toString('latin1') ?? '')?.[0];
  } finally {
    api.close();
  }
}
