import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { shadowsocks2022Key } from '@rampart/domain';
import { type DeepPartial, StatType, type User } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import {
  shadowsocksOutbound,
  trojanOutbound,
  vlessOutbound,
  vmessOutbound,
} from '../../testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../testing/nodes/test-node.js';
import { rawUser } from '../../testing/raw-users.js';

const METHOD = '2022-blake3-aes-128-gcm';
const INBOUND_KEY = randomBytes(16).toString('base64');
const uuid = (digit: number) =>
  `${digit}${digit}${digit}${digit}${digit}${digit}${digit}${digit}-0000-4000-8000-000000000000`;

describe('users on the real engine', () => {
  let test: NodeFixture;
  let web: LocalWeb;
  let ports: { vless: number; vmess: number; trojan: number; ss: number; ss2022: number };
  const clients: EngineClient[] = [];

  const connect = async (outbound: Record<string, unknown>): Promise<EngineClient> => {
    const client = await startEngineClient(outbound);
    clients.push(client);
    return client;
  };
  /** The engine keeps a connection without valid credentials open for a while instead of closing it. */
  const shutOut = (strangers: EngineClient[]) =>
    Promise.all(strangers.map((client) => expect(client.fetch(web.url, 1000)).rejects.toThrow()));
  const connect2022 = (password: string) =>
    connect(shadowsocksOutbound(ports.ss2022, METHOD, `${INBOUND_KEY}:${shadowsocks2022Key(METHOD, password)}`));

  const start = (users: DeepPartial<User>[]) => {
    const on = (tag: keyof typeof ports, protocol: string, settings: object) => ({
      ...{ tag, listen: '127.0.0.1', port: ports[tag], protocol, settings },
    });
    const inbounds = [
      on('vless', 'vless', { decryption: 'none' }),
      on('vmess', 'vmess', {}),
      on('trojan', 'trojan', {}),
      on('ss', 'shadowsocks', {}),
      on('ss2022', 'shadowsocks', { method: METHOD, password: INBOUND_KEY }),
    ];
    return test.node.start(
      startRequest({ inbounds, outbounds: [{ protocol: 'freedom', settings: ALLOW_PRIVATE }] }, { users }),
    );
  };

  beforeAll(async () => {
    test = createNodeFixture();
    web = await startLocalWeb();
    const [vless, vmess, trojan, ss, ss2022] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    ports = { vless, vmess, trojan, ss, ss2022 };
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await test.node.stop();
  });

  afterAll(async () => {
    await test.close();
    await web.close();
  });

  const everywhere = (email: string, digit: number): DeepPartial<User> => ({
    email,
    proxies: {
      vless: { id: uuid(digit), flow: 'xtls-rprx-vision' },
      vmess: { id: uuid(digit) },
      trojan: { password: `trojan-${digit}` },
      shadowsocks: { password: `shadowsocks-${digit}`, method: 'aes-256-gcm' },
    },
    inbounds: ['vless', 'vmess', 'trojan', 'ss', 'ss2022', 'not-there-yet'],
  });
  const outboundsOf = (digit: number) => [
    vlessOutbound(ports.vless, uuid(digit)),
    vmessOutbound(ports.vmess, uuid(digit)),
    trojanOutbound(ports.trojan, `trojan-${digit}`),
    shadowsocksOutbound(ports.ss, 'aes-256-gcm', `shadowsocks-${digit}`),
  ];

  it('every protocol serves users of the start and users added later, and none after removal', async () => {
    await start([everywhere('1.ann', 1)]);
    const pids = await test.enginePids();
    await test.node.syncUser([rawUser(everywhere('2.bob', 2))]);
    const both = await Promise.all([...outboundsOf(1), ...outboundsOf(2)].map(connect));
    both.push(await connect2022('shadowsocks-1'), await connect2022('shadowsocks-2'));
    for (const client of both) expect(await client.fetch(web.url)).toBe(web.page);
    await test.node.syncUsers({ users: [], revision: 0n });
    await shutOut(both);
    expect(await test.enginePids()).toEqual(pids);
  });

  it('shadowsocks-2022 without users accepts no client, and accepts users later', async () => {
    await start([]);
    const ann = await connect2022('ann');
    const stranger = await connect(shadowsocksOutbound(ports.ss2022, METHOD, INBOUND_KEY));
    await shutOut([stranger, ann]);
    const proxies = { shadowsocks: { password: 'ann', method: '' } };
    await test.node.syncUser([rawUser({ email: '1.ann', proxies, inbounds: ['ss2022'] })]);
    expect(await ann.fetch(web.url)).toBe(web.page);
    await shutOut([stranger]);
  });

  it('the engine survives 30 removals on shadowsocks-2022 while all users connect', async () => {
    const on2022 = (index: number) => ({
      ...{ email: `${index}.user`, proxies: { shadowsocks: { password: `password-${index}` } }, inbounds: ['ss2022'] },
    });
    const everyone = Array.from({ length: 400 }, (_, index) => on2022(index + 1));
    await start(everyone);
    await test.node.stats({ type: StatType.UsersStat, name: '', reset: true });
    const pids = await test.enginePids();
    // A connection of the last user in the list would crash the engine.
    const last = await connect2022('password-400');
    let over = false;
    let fetched = 0;
    const reconnecting = Array.from({ length: 4 }, async () => {
      while (!over) {
        if ((await last.fetch(web.url)) === web.page) fetched += 1;
      }
    });
    for (let index = 1; index <= 30; index += 1) {
      await test.node.syncUser([rawUser({ email: `${index}.user` })]);
    }
    over = true;
    await Promise.all(reconnecting);
    expect(fetched).toBeGreaterThan(0);
    expect(await test.enginePids()).toEqual(pids);
    const removed = await connect2022('password-30');
    await shutOut([removed]);
    const { stats } = await test.node.stats({ type: StatType.UsersStat, name: '', reset: false });
    expect(new Set(stats.map(({ name }) => name))).toEqual(new Set(['400.user']));
  });

  it('a user whom the engine would refuse, or who would harm it, is refused without affecting others', async () => {
    const vless = (email: string, id: string, flow = '') => ({
      email,
      proxies: { vless: { id, flow } },
      inbounds: ['vless'],
    });
    const ss = (email: string, password: string, method: string, tag = 'ss') => ({
      ...{ email, proxies: { shadowsocks: { password, method } }, inbounds: [tag] },
    });
    const trojan = (email: string, password: string) => ({
      email,
      proxies: { trojan: { password } },
      inbounds: ['trojan'],
    });
    const info = await start([
      vless('1.good', uuid(1)),
      vless('', uuid(2)),
      vless('3.flow', uuid(3), 'xtls-rprx-direct'),
      vless('4.uuid', 'not-a-uuid'),
      vless('1.GOOD', uuid(5)),
      vless('6.twin', '11111111-0000-ffff-8000-000000000000'),
      trojan('8.good', 'same'),
      trojan('9.same', 'same'),
      ss('10.none', 'password', 'none'),
      ss('11.empty', '', 'aes-128-gcm'),
      ss('12.empty', '', 'aes-128-gcm', 'ss2022'),
      ss('13.good', 'ss', 'aes-128-gcm'),
      ss('14.same', 'ss', 'aes-128-gcm'),
      { email: '15.nothing', inbounds: ['vless', 'trojan'] },
      vless('~rampart-guard-1', uuid(6)),
    ]);
    const key = 'use an AEAD method such as "chacha20-ietf-poly1305"';
    expect(info.refused).toEqual([
      { email: '', reason: 'email is missing' },
      { email: '3.flow', reason: 'vless flow "xtls-rprx-direct" is unknown; use "" or "xtls-rprx-vision"' },
      { email: '4.uuid', reason: 'vless id is not a UUID' },
      { email: '1.GOOD', reason: 'email is that of "1.good"; the engine ignores case' },
      { email: '6.twin', reason: 'vless id (bytes 6 and 7 do not count) equals that of "1.good"' },
      { email: '9.same', reason: 'trojan password equals that of "8.good"' },
      { email: '10.none', reason: `shadowsocks method "none" is unknown or without a key; ${key}` },
      { email: '11.empty', reason: 'shadowsocks password is empty' },
      { email: '12.empty', reason: 'shadowsocks password is empty' },
      { email: '14.same', reason: 'shadowsocks password equals that of "13.good"' },
      { email: '~rampart-guard-1', reason: 'email begins with "~rampart-", which is reserved for the node' },
    ]);
    const good = await connect(vlessOutbound(ports.vless, uuid(1)));
    expect(await good.fetch(web.url)).toBe(web.page);

    await expect(
      test.node.syncUser([vless('4.uuid', 'worse'), vless('20.new', uuid(7))].map(rawUser)),
    ).rejects.toMatchObject({
      code: 'USERS_REFUSED',
      message: '1 user refused: "4.uuid" (vless id is not a UUID)',
    });
    const added = await connect(vlessOutbound(ports.vless, uuid(7)));
    expect(await added.fetch(web.url)).toBe(web.page);
    expect(test.node.info().refused).toHaveLength(11);
  });

  it('two users can swap all their credentials', async () => {
    await start([everywhere('1.ann', 1), everywhere('2.bob', 2)]);
    await test.node.stats({ type: StatType.UsersStat, name: '', reset: true });
    await test.node.syncUser([everywhere('1.ann', 2), everywhere('2.bob', 1)].map(rawUser));
    for (const outbound of outboundsOf(2)) expect(await (await connect(outbound)).fetch(web.url)).toBe(web.page);
    expect(await (await connect2022('shadowsocks-2')).fetch(web.url)).toBe(web.page);
    const { stats } = await test.node.stats({ type: StatType.UsersStat, name: '', reset: true });
    expect(new Set(stats.map(({ name }) => name))).toEqual(new Set(['1.ann']));
  });

  it('a credential is changed by removal and addition', async () => {
    await start([everywhere('1.ann', 1)]);
    await test.node.syncUser([rawUser(everywhere('1.ann', 2))]);
    const [before, after] = [
      await Promise.all(outboundsOf(1).map(connect)),
      await Promise.all(outboundsOf(2).map(connect)),
    ];
    for (const client of after) expect(await client.fetch(web.url)).toBe(web.page);
    await shutOut(before);
  });
});
