import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeClient, User } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { trojanOutbound, vlessOutbound, vmessOutbound } from '../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../testing/clients/tunnel.js';
import { RunningNode } from '../testing/nodes/running-node.js';

const CHANGES = 1000;
const id = (index: number) => `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

describe('connections of users during changes of a running node', () => {
  let node: RunningNode;
  let client: NodeClient;
  let web: LocalWeb;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let ports: { raw: number; ws: number; trojan: number; later: number };
  const clients: EngineClient[] = [];
  /** Ends the load, also when the test fails. */
  let over = false;

  const user = (index: number, inbounds = ['raw', 'ws', 'trojan']) =>
    User.fromPartial({
      email: `${index}.user`,
      proxies: { vless: { id: id(index) }, vmess: { id: id(index) }, trojan: { password: `password-${index}` } },
      inbounds,
    });

  const config = (more: object[] = []) =>
    JSON.stringify({
      inbounds: [
        { tag: 'raw', listen: '127.0.0.1', port: ports.raw, protocol: 'vless', settings: { decryption: 'none' } },
        {
          ...{ tag: 'ws', listen: '127.0.0.1', port: ports.ws, protocol: 'vmess', settings: {} },
          streamSettings: { network: 'ws', wsSettings: { path: '/way' } },
        },
        { tag: 'trojan', listen: '127.0.0.1', port: ports.trojan, protocol: 'trojan', settings: {} },
        ...more,
      ],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
    });

  beforeAll(async () => {
    node = await RunningNode.open();
    client = node.client('grpc', { timeoutMs: 60_000 });
    web = await startLocalWeb();
    echo = await startEcho();
    ports = { raw: await freePort(), ws: await freePort(), trojan: await freePort(), later: await freePort() };
    await client.start({ config: config(), users: [user(0)] });
    const ws = { network: 'ws', wsSettings: { path: '/way' } };
    clients.push(
      await startEngineClient(vlessOutbound(ports.raw, id(0))),
      await startEngineClient({ ...vmessOutbound(ports.ws, id(0)), streamSettings: ws }),
      await startEngineClient(trojanOutbound(ports.trojan, 'password-0')),
    );
  });

  afterAll(async () => {
    over = true;
    await Promise.all(clients.map((one) => one.close()));
    await node.close();
    await web.close();
    echo.close();
  });

  it(`connections survive ${CHANGES} user changes, an unchanged Start and a new configuration`, async () => {
    const live = await Promise.all(clients.map(({ port }) => Tunnel.open(port, echo.port)));
    let opened = 0;
    const refused: string[] = [];
    const visitors = clients.map(async (one) => {
      while (!over && refused.length === 0) {
        await one.fetch(web.url).catch((error: Error) => refused.push(error.message));
        opened += 1;
      }
    });
    const nobodyNoticed = async () => {
      for (const one of live) await one.echo(1000);
      expect(refused).toEqual([]);
    };

    // The engine itself ends a tunnel that carries no bytes in its first second.
    await nobodyNoticed();
    for (let index = 1; index <= CHANGES / 2; index += 1) await client.syncUser([user(index)]);
    for (let index = 1; index <= CHANGES / 2; index += 1) await client.syncUser([user(index, [])]);
    await nobodyNoticed();

    const before = await client.info();
    await client.start({ config: config(), users: [user(0)] });
    expect((await client.info()).configDigest).toBe(before.configDigest);
    await nobodyNoticed();

    const later = { tag: 'later', listen: '127.0.0.1', port: ports.later, protocol: 'trojan', settings: {} };
    await client.start({ config: config([later]), users: [user(0), user(1, ['later'])] });
    expect((await client.info()).configDigest).not.toBe(before.configDigest);
    const newcomer = await startEngineClient(trojanOutbound(ports.later, 'password-1'));
    clients.push(newcomer);
    expect(await newcomer.fetch(web.url)).toBe(web.page);
    await nobodyNoticed();

    over = true;
    await Promise.all(visitors);
    expect(refused).toEqual([]);
    expect(opened).toBeGreaterThan(CHANGES / 10);
    expect(await client.info()).toMatchObject({ restarts: 0n, lastExit: '', usersCount: 2n });
    for (const one of live) one.close();
  }, 240_000);
});
