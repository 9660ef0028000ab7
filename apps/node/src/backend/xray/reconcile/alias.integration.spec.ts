import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { shadowsocks2022Key } from '@rampart/domain';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, type LocalWeb, startLocalWeb } from '@rampart/testing';
import { shadowsocksOutbound } from '../../../testing/clients/client-outbounds.js';
import { testSettings } from '../../../testing/nodes/test-node.js';
import { EngineApi } from '../api/engine-api.js';
import { pageOf, startClientEngine } from '../testing/client-engine.js';
import { rawUsers } from '../testing/test-backend.js';
import { XrayBackend } from '../xray.backend.js';

const METHOD = '2022-blake3-aes-128-gcm';
const INBOUND_KEY = randomBytes(16).toString('base64');
const USERS = 200;

/** A rule of its own for the inbound leads to each page; all other requests are blocked. */
const RULES: Record<string, object> = {
  one: { inboundTag: ['in'], outboundTag: 'out' },
  text: { inboundTag: 'else,in', outboundTag: 'out' },
  odd: { INBOUNDTAG: ['else', 'in'], outboundTag: 'out' },
  balanced: { inboundTag: ['in'], balancerTag: 'balancer' },
  sniffed: { inboundTag: ['in'], protocol: ['http'], outboundTag: 'out' },
  user: { inboundTag: ['in'], user: [`${USERS - 1}.user`], outboundTag: 'out' },
};
const PAGES = Object.keys(RULES);

/** Users with numbers in this range; without inbounds they are removed. */
const change = (from: number, to: number, ...inbounds: string[]) => {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  const proxies = (number: number) => ({ shadowsocks: { password: `password ${number}` } });
  return rawUsers(numbers.map((number) => ({ email: `${number}.user`, proxies: proxies(number), inbounds })));
};

describe('an inbound that was replaced under its alias', () => {
  const settings = testSettings();
  const lines: string[] = [];
  const inbounds = new Map<string, bigint>();
  const backend = new XrayBackend(settings, {
    log: (line) => lines.push(line),
    lastTraffic: () => undefined,
  });
  let web: LocalWeb;
  let client: EngineClient;

  beforeAll(async () => {
    web = await startLocalWeb();
    const port = await freePort();
    const sniffing = { enabled: true, destOverride: ['http'], routeOnly: true };
    const on = { tag: 'in', listen: '127.0.0.1', port, protocol: 'shadowsocks', sniffing };
    const config = {
      log: { access: '', loglevel: 'warning' },
      inbounds: [{ ...on, settings: { method: METHOD, password: INBOUND_KEY } }],
      outbounds: [
        { protocol: 'blackhole' },
        { tag: 'out', protocol: 'freedom', settings: { ...ALLOW_PRIVATE, redirect: new URL(web.url).host } },
      ],
      routing: {
        balancers: [{ tag: 'balancer', selector: ['out'] }],
        rules: PAGES.map((page) => ({ domain: [`full:${page}.test`], ...RULES[page] })),
      },
    };
    await backend.start({ text: JSON.stringify(config), excludedInbounds: [] }, change(0, USERS, 'in'));
    const key = shadowsocks2022Key(METHOD, `password ${USERS - 1}`);
    const outbound = shadowsocksOutbound(port, METHOD, `${INBOUND_KEY}:${key}`);
    client = await startClientEngine(new Map(PAGES.map((page) => [page, outbound])));
  });

  afterAll(async () => {
    await client?.close();
    await web?.close();
    await backend.stop();
    rmSync(settings.dataDir, { recursive: true, force: true });
  });

  /** The line that a connection leaves in the access log, without its time and source. */
  const accessLine = async (page: string) => {
    const before = lines.length;
    expect(await client.fetch(pageOf(page))).toBe(web.page);
    const line = await eventually('the connection is in the log', (saw) =>
      saw(lines.slice(before)).find((text) => text.includes('accepted')),
    );
    return line.replace(/^.* accepted /, '');
  };
  const accessLines = async () => {
    const found: string[] = [];
    for (const page of PAGES) found.push(await accessLine(page));
    return found;
  };

  it('an inbound follows the same rules and logs the same tag under its alias and under its own tag', async () => {
    const putUp = jest.spyOn(EngineApi.prototype, 'addInbound');
    const expected = PAGES.map((page) => `${page}.test:80 [in -> out] email: ${USERS - 1}.user`);
    expect(await accessLines()).toEqual(expected);
    for (const [from, to] of [
      [0, 80],
      [80, 160],
    ] as const) {
      expect(await backend.changeUsers(change(from, to))).toEqual([]);
      expect(await accessLines()).toEqual(expected);
    }
    expect(putUp.mock.calls.map(([{ tag }]) => tag)).toEqual(['~rampart-alias-in', 'in']);
    putUp.mockRestore();
    for (const reading of await backend.readTraffic()) {
      for (const [tag, { downlink }] of reading.inbounds) inbounds.set(tag, (inbounds.get(tag) ?? 0n) + downlink);
    }
    expect([...inbounds.keys()]).toEqual(['in']);
    expect(inbounds.get('in')).toBeGreaterThan(3n * BigInt(PAGES.length * web.page.length));
  });
});
