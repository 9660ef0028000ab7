import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shadowsocks2022Key } from '@rampart/domain';
import type { DeepPartial, User } from '@rampart/node-client';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, type LocalWeb, startLocalWeb } from '@rampart/testing';
import { shadowsocksOutbound } from '../../../testing/clients/client-outbounds.js';
import { pageOf, startClientEngine } from '../testing/client-engine.js';
import { BackendFixture, rawUsers } from '../testing/test-backend.js';

const METHOD = '2022-blake3-aes-128-gcm';
const INBOUND_KEY = randomBytes(16).toString('base64');
const USERS = 10_000;
const REMOVED = 1000;
/** Numbers of users in the calls that remove them. */
const CALLS = [...Array.from({ length: 20 }, () => 1), 2, 3, 5, 20, 50, 400, 500];

/** Ten users stay, including the last of the list, and ten are removed, including the first and last of those. */
const STAYING = [1000, 1001, 2000, 3000, 4000, 5000, 6000, 7000, 9998, 9999];
const LEAVING = [0, 1, 19, 20, 24, 30, 60, 499, 500, 999];

const userOf = (index: number, ...inbounds: string[]): DeepPartial<User> => ({
  ...{ email: `${index}.user`, proxies: { shadowsocks: { password: `password ${index}` } }, inbounds },
});

describe('shadowsocks-2022 with 10,000 users', () => {
  const test = new BackendFixture();
  let web: LocalWeb;
  let clients: EngineClient;
  let over = false;

  beforeAll(async () => {
    web = await startLocalWeb();
    const port = await freePort();
    const on = { tag: 'in', listen: '127.0.0.1', port, protocol: 'shadowsocks' };
    await test.start(
      {
        inbounds: [{ ...on, settings: { method: METHOD, password: INBOUND_KEY } }],
        outbounds: [{ protocol: 'freedom', settings: { ...ALLOW_PRIVATE, redirect: new URL(web.url).host } }],
      },
      Array.from({ length: USERS }, (_, index) => userOf(index, 'in')),
    );
    const keyOf = (index: number) => `${INBOUND_KEY}:${shadowsocks2022Key(METHOD, `password ${index}`)}`;
    clients = await startClientEngine(
      new Map([...STAYING, ...LEAVING].map((index) => [`u${index}`, shadowsocksOutbound(port, METHOD, keyOf(index))])),
    );
  });

  afterAll(async () => {
    over = true;
    await clients?.close();
    await web?.close();
    await test.close();
  });

  const fetch = (index: number, withinMs?: number) => clients.fetch(pageOf(`u${index}`), withinMs);
  const gotThrough = (index: number) =>
    fetch(index, 2000).then(
      (page) => page === web.page,
      () => false,
    );

  it('1,000 of 10,000 users are removed while twenty keep connecting, without a crash or a refused user', async () => {
    const pids = await test.pids();
    let served = 0;
    const lockedOut: number[] = [];
    const reconnecting = [...STAYING, ...LEAVING].map(async (index) => {
      while (!over) {
        // The kernel resets connections that are not accepted when a listener closes, so a client may need
        // a second attempt.
        const through = (await gotThrough(index)) || (await gotThrough(index));
        if (!STAYING.includes(index)) continue;
        if (through) served += 1;
        else lockedOut.push(index);
      }
    });
    let next = 0;
    for (const size of CALLS) {
      const wanted = served + STAYING.length;
      await eventually('the clients connect', (saw) => saw(served) >= wanted);
      const emails = Array.from({ length: size }, (_, index) => userOf(next + index));
      next += size;
      expect(await test.backend.changeUsers(rawUsers(emails))).toEqual([]);
    }
    over = true;
    await Promise.all(reconnecting);
    expect(next).toBe(REMOVED);
    expect(await test.pids()).toEqual(pids);
    expect(await Promise.all(STAYING.map(gotThrough))).toEqual(STAYING.map(() => true));
    expect(await Promise.all(LEAVING.map(gotThrough))).toEqual(LEAVING.map(() => false));
    expect(lockedOut).toEqual([]);
  });
});

describe('a user of shadowsocks-2022', () => {
  /** The salt, the identity header and the fixed header: with these the engine knows the user, and waits for the rest. */
  const BEGINNING = 16 + 16 + 11 + 16;
  const test = new BackendFixture();
  const held: { readonly client: Socket; readonly engine: Socket }[] = [];
  let web: LocalWeb;
  let relay: Server;
  let client: EngineClient;

  beforeAll(async () => {
    web = await startLocalWeb();
    const port = await freePort();
    await test.start(
      {
        inbounds: [
          {
            ...{ tag: 'in', listen: '127.0.0.1', port, protocol: 'shadowsocks' },
            settings: { method: METHOD, password: INBOUND_KEY },
          },
        ],
        outbounds: [{ protocol: 'freedom', settings: { ...ALLOW_PRIVATE, redirect: new URL(web.url).host } }],
      },
      [userOf(1, 'in')],
    );
    relay = createServer((socket) => {
      const engine = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).on('close', () => engine.destroy());
      engine.on('error', () => socket.destroy()).pipe(socket);
      socket.once('data', (chunk: Buffer) => {
        socket.pause().unshift(chunk.subarray(BEGINNING));
        engine.write(chunk.subarray(0, BEGINNING));
        held.push({ client: socket, engine });
      });
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    const outbound = shadowsocksOutbound(
      (relay.address() as AddressInfo).port,
      METHOD,
      `${INBOUND_KEY}:${shadowsocks2022Key(METHOD, 'password 1')}`,
    );
    client = await startClientEngine(new Map([['u1', outbound]]));
  });
  afterAll(async () => {
    await client?.close();
    relay?.close();
    await web?.close();
    await test.close();
  });

  /** Fetches the page over a connection whose first bytes arrive before `meanwhile` runs, and the others afterwards. */
  async function fetchAround(meanwhile: () => Promise<unknown>): Promise<string> {
    const fetched = client.fetch(pageOf('u1')).catch(() => 'nothing');
    const connection = await eventually('the connection is begun', () => held.pop());
    await meanwhile();
    connection.client.pipe(connection.engine);
    return fetched;
  }

  it('security row 108: whose connection was begun before the removal gets nothing over it afterwards', async () => {
    expect(await fetchAround(async () => undefined)).toBe(web.page);
    expect(await fetchAround(() => test.backend.changeUsers(rawUsers([userOf(1)])))).toBe('nothing');
  });
});
