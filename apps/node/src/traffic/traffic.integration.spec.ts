import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StatType } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../testing/nodes/test-node.js';
import { rawUser } from '../testing/raw-users.js';

const ID = '11111111-1111-4111-8111-111111111111';
const ann = { email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] };

describe('traffic on the real engine', () => {
  let test: NodeFixture;
  let web: LocalWeb;
  let client: EngineClient;
  let config: object;

  beforeAll(async () => {
    test = createNodeFixture();
    web = await startLocalWeb();
    const port = await freePort();
    config = {
      inbounds: [{ tag: 'vless', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
    };
    client = await startEngineClient(vlessOutbound(port, ID));
    await test.node.start(startRequest(config, { users: [ann] }));
  });

  afterAll(async () => {
    await client.close();
    await web.close();
    await test.close();
  });

  const userStats = (reset = false) => test.node.stats({ type: StatType.UserStat, name: '1.ann', reset });

  const counted = async () => {
    const { stats } = await userStats();
    const of = (direction: string) => stats.find(({ type }) => type === direction)?.value ?? 0n;
    return { uplink: of('uplink'), downlink: of('downlink') };
  };
  /**
   * Fetches a page and waits until the engine has counted it, which is when the connection of its answer is closed.
   * Resolves with its bytes, which are the same each time.
   */
  const fetchPage = async () => {
    const before = await counted();
    expect(await client.fetch(web.url)).toBe(web.page);
    return eventually('the page is counted', async () => {
      const { uplink, downlink } = await counted();
      const page = { uplink: uplink - before.uplink, downlink: downlink - before.downlink };
      return page.downlink >= BigInt(web.page.length) && page;
    });
  };

  it('every byte is handed over once despite repeated calls, and GetStats with reset does not reduce the batches', async () => {
    const none = await test.node.collectTraffic({ ledger: '', acknowledge: 0n });
    expect(none).toMatchObject({ number: 0n, users: [], inbounds: [], outbounds: [] });

    await fetchPage();
    const first = (await userStats(true)).stats;
    expect(first.map(({ name, type, link }) => ({ name, type, link }))).toEqual([
      { name: '1.ann', type: 'uplink', link: 'traffic' },
      { name: '1.ann', type: 'downlink', link: 'traffic' },
    ]);
    expect((await userStats()).stats).toEqual([]);

    const batch = await test.node.collectTraffic({ ledger: '', acknowledge: 0n });
    const [uplink = 0n, downlink = 0n] = first.map(({ value }) => value);
    expect(batch.number).toBe(1n);
    expect(batch.users).toEqual([{ email: '1.ann', uplink, downlink }]);
    expect(batch.outbounds).toEqual([{ tag: 'direct', uplink, downlink }]);
    expect(batch.inbounds.map(({ tag }) => tag)).toEqual(['vless']);

    await fetchPage();
    for (const wrong of [
      { ledger: '', acknowledge: 0n },
      { ledger: '', acknowledge: 1n },
      { ledger: batch.ledger, acknowledge: 0n },
      { ledger: batch.ledger, acknowledge: 2n },
    ]) {
      expect(await test.node.collectTraffic(wrong)).toEqual(batch);
    }
    const second = (await userStats(true)).stats.map(({ value }) => value);
    const next = await test.node.collectTraffic({ ledger: batch.ledger, acknowledge: 1n });
    expect(next).toMatchObject({ ledger: batch.ledger, number: 2n });
    expect(next.users).toEqual([{ email: '1.ann', uplink: second[0], downlink: second[1] }]);
    const last = await test.node.collectTraffic({ ledger: batch.ledger, acknowledge: 2n });
    expect(last).toMatchObject({ number: 0n, users: [] });
  });

  it('traffic is counted across removal, return and a planned stop', async () => {
    const { uplink, downlink } = await fetchPage();
    await test.node.syncUser([rawUser({ email: '1.ann' })]);
    await test.node.syncUser([rawUser(ann)]);
    expect(await client.fetch(web.url)).toBe(web.page);
    await test.node.stop();
    await test.node.start(startRequest(config, { users: [ann] }));
    const batch = await test.node.collectTraffic({ ledger: '', acknowledge: 0n });
    expect(batch.users).toEqual([{ email: '1.ann', uplink: 2n * uplink, downlink: 2n * downlink }]);
  });

  it("traffic statistics have inbounds and outbounds, but none of the node's own", async () => {
    await fetchPage();
    const names = async (type: StatType, name = '') =>
      new Set((await test.node.stats({ type, name, reset: false })).stats.map((stat) => stat.name));
    expect(await names(StatType.Inbounds)).toEqual(new Set(['vless']));
    expect(await names(StatType.Outbounds)).toEqual(new Set(['direct']));
    expect(await names(StatType.UsersStat)).toEqual(new Set(['1.ann']));
    expect(await names(StatType.Inbound, 'vless')).toEqual(new Set(['vless']));
    expect(await names(StatType.UserStat, '9.nobody')).toEqual(new Set());
  });

  it.each([
    [6, '', 'type 6 is not a statistic; use 0 to 5'],
    [StatType.UserStat, '', 'name is missing: UserStat needs the email'],
    [StatType.Inbound, '', 'name is missing: Inbound needs the tag'],
  ])('a statistic of type %s with name "%s" is refused', async (type, name, message) => {
    await expect(test.node.stats({ type, name, reset: false })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message,
    });
  });
});
