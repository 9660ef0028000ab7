import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, runEngine } from '@rampart/testing';
import { vlessOutbound } from '../../../../testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../../../testing/nodes/test-node.js';

const ANN = '11111111-1111-4111-8111-111111111111';
const BRIDGE = '22222222-2222-4222-8222-222222222222';
const DOMAIN = 'portal.test';
const ROUNDS = 10;

describe('a reverse portal', () => {
  let test: NodeFixture;
  let home: Server;
  let stolen: Server;
  const bridges: EngineClient[] = [];
  const ports = { users: 0, link: 0, outside: 0 };

  beforeAll(async () => {
    test = createNodeFixture();
    [home, stolen] = [page('home'), page('stolen')];
    await Promise.all([once(home, 'listening'), once(stolen, 'listening')]);
  });
  afterEach(async () => {
    for (const bridge of bridges.splice(0)) await bridge.close();
    await test.node.stop();
  });
  afterAll(async () => {
    await test.close();
    home.close();
    stolen.close();
  });

  const start = async (privateNetworks?: { allowed: string[] }) => {
    for (const name of ['users', 'link', 'outside'] as const) ports[name] = await freePort();
    const vless = { listen: '127.0.0.1', protocol: 'vless' };
    const clients = [{ id: BRIDGE, email: 'bridge' }];
    await test.node.start(
      startRequest(
        {
          log: { loglevel: 'warning' },
          inbounds: [
            { ...vless, tag: 'users', port: ports.users, settings: { decryption: 'none' } },
            { ...vless, tag: 'link', port: ports.link, settings: { decryption: 'none', clients } },
            {
              ...{ tag: 'outside', listen: '127.0.0.1', port: ports.outside, protocol: 'tunnel' },
              settings: { address: '192.168.77.1', port: 80 },
            },
          ],
          outbounds: [{ tag: 'direct', protocol: 'freedom' }],
          reverse: { portals: [{ tag: 'portal', domain: DOMAIN }] },
          routing: {
            rules: [
              { inboundTag: ['outside'], outboundTag: 'portal' },
              { domain: ['domain:test'], outboundTag: 'portal' },
              { inboundTag: ['link'], domain: [`full:${DOMAIN}`], outboundTag: 'portal' },
            ],
          },
        },
        {
          users: [{ email: '1.ann', proxies: { vless: { id: ANN } }, inbounds: ['users'] }],
          excludeInbounds: ['link'],
          ...(privateNetworks && { privateNetworks }),
        },
      ),
    );
  };

  /** An engine that offers itself as the bridge, and sends what it gets to a server. */
  const offerBridge = async (port: number, id: string, server: Server) => {
    const own = await freePort();
    const bridge = await runEngine(own, {
      inbounds: [{ tag: 'own', listen: '127.0.0.1', port: own, protocol: 'http' }],
      outbounds: [
        { tag: 'portal', ...vlessOutbound(port, id) },
        {
          ...{ tag: 'server', protocol: 'freedom' },
          settings: { ...ALLOW_PRIVATE, redirect: `127.0.0.1:${(server.address() as AddressInfo).port}` },
        },
      ],
      reverse: { bridges: [{ tag: 'bridge', domain: DOMAIN }] },
      routing: {
        rules: [
          { inboundTag: ['bridge'], domain: [`full:${DOMAIN}`], outboundTag: 'portal' },
          { inboundTag: ['bridge'], outboundTag: 'server' },
        ],
      },
    });
    bridges.push(bridge);
  };

  const ask = async (): Promise<string> => {
    const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(1000) };
    const answer = await fetch(`http://127.0.0.1:${ports.outside}/`, options).catch(() => undefined);
    return (await answer?.text().catch(() => '')) ?? '';
  };

  it('without private_networks, a user who knows the domain becomes the bridge, as the configuration says', async () => {
    await start();
    await offerBridge(ports.users, ANN, stolen);
    await eventually('the user gets what others send', async (saw) => saw(await ask()) === 'stolen');
  });

  it('security row 78: a user does not become the bridge where a rule is there for it, and the bridge does', async () => {
    await start({ allowed: [] });
    const leave = new AbortController();
    const lines: string[] = [];
    const reading = (async () => {
      for await (const some of await test.node.logs({ signal: leave.signal }))
        lines.push(...some.map(({ detail }) => detail));
    })().catch(() => undefined);
    await offerBridge(ports.users, ANN, stolen);
    const refused = `${DOMAIN}:0 [users -> ~rampart-private]`;
    await eventually('the engine refuses the user', (saw) => saw(lines).some((line) => line.includes(refused)));
    await offerBridge(ports.link, BRIDGE, home);
    await eventually('the bridge is there', async (saw) => saw(await ask()) === 'home');
    const answers = [];
    for (let round = 0; round < ROUNDS; round += 1) answers.push(await ask());
    expect(new Set(answers)).toEqual(new Set(['home']));
    leave.abort();
    await reading;
  });
});

function page(text: string): Server {
  return createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
}
