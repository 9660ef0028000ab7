import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { locateProgram } from '@rampart/engine';
import { freePort } from './testing/free-port.js';
import { QuickStartProcess } from './testing/quick-start-process.js';
import { configFromVlessLink } from './testing/vless-link.js';
import { serve } from './testing/web-server.js';
import { XrayClient } from './testing/xray-client.js';

jest.setTimeout(180_000);

const dataDir = mkdtempSync(join(tmpdir(), 'rampart-first-light-'));
const page = randomBytes(200_000);
/** What a page of this size may cost beside its bytes: request, headers, framing, retries. */
const OVERHEAD = 20_000;

interface XrayConfig {
  remarks: string;
  outbounds: { protocol: string }[];
}
interface User {
  username: string;
  used_traffic: number;
  subscription_url: string;
}

let env: Record<string, string>;
let rampart: QuickStartProcess;
let engine: string;
let web: Awaited<ReturnType<typeof serve>>;
let subscriptionUrl: string;
let api: (method: string, path: string, body?: object) => Promise<Response>;
const clients: XrayClient[] = [];

beforeAll(async () => {
  engine = (await locateProgram('xray')).path;
  web = await serve(page);
  env = {
    RAMPART_DATA_DIR: dataDir,
    RAMPART_PORT: String(await freePort()),
    RAMPART_NODE_PORT: String(await freePort()),
    RAMPART_VLESS_PORT: String(await freePort()),
    RAMPART_SHADOWSOCKS_PORT: String(await freePort()),
  };
  rampart = new QuickStartProcess(env);
  const [username, password, base, url] = await rampart.printed(
    /Login\s+(\S+)\nPassword\s+(\S+) .*\nAPI\s+(\S+)\/api\n.*\nSubscription\s+(\S+)\n/,
  );
  subscriptionUrl = url as string;
  const login = await fetch(`${base}/api/admin/token`, {
    method: 'POST',
    body: new URLSearchParams({ username: username as string, password: password as string }),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  api = (method, path, body) =>
    fetch(`${base}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
});

afterAll(async () => {
  for (const client of clients) await client.stop();
  await rampart.stop();
  await web.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function connect(config: object): Promise<XrayClient> {
  const client = await XrayClient.start(engine, config);
  clients.push(client);
  return client;
}

const xrayConfigs = async (url: string) => (await (await fetch(`${url}/xray`)).json()) as XrayConfig[];

async function clientOf(url: string, protocol: string): Promise<XrayClient> {
  const config = (await xrayConfigs(url)).find(({ outbounds }) => outbounds[0]?.protocol === protocol);
  return connect(config as XrayConfig);
}

/** Asks every 50 ms until the answer is as wanted; the last answer is what the test then judges. */
async function eventually<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask();
    if (wanted(answer) || attempt > 300) return answer;
    await sleep(50);
  }
}

const usedTraffic = async (username: string) =>
  ((await (await api('GET', `/user/${username}`)).json()) as User).used_traffic;

const enginePids = () => [...rampart.descendants()].filter(([, name]) => name === 'xray').map(([pid]) => pid);

describe('npm start', () => {
  it('serves a subscription in both formats, one proxy for each inbound', async () => {
    expect((await xrayConfigs(subscriptionUrl)).map(({ remarks }) => remarks)).toEqual([
      'VLESS REALITY first-user',
      'Shadowsocks 2022 first-user',
    ]);
    const links = (await (await fetch(`${subscriptionUrl}/links`)).text()).split('\n');
    expect(links.map((link) => link.slice(0, link.indexOf(':')))).toEqual(['vless', 'ss']);
    const base64 = await (await fetch(subscriptionUrl)).text();
    expect(Buffer.from(base64, 'base64').toString()).toBe(links.join('\n'));
  });

  it('carries a page to a real client that knows nothing but the URL, and counts its bytes', async () => {
    expect(await usedTraffic('first-user')).toBe(0);
    const client = await clientOf(subscriptionUrl, 'vless');
    expect(await client.fetch(web.url)).toEqual(page);
    const used = await eventually(
      () => usedTraffic('first-user'),
      (bytes) => bytes >= page.length,
    );
    expect(used).toBeGreaterThanOrEqual(page.length);
    expect(used).toBeLessThan(page.length + OVERHEAD);
  });

  it('carries a page over Shadowsocks-2022', async () => {
    const client = await clientOf(subscriptionUrl, 'shadowsocks');
    expect(await client.fetch(web.url)).toEqual(page);
  });

  it('carries a page to a client configured from a link', async () => {
    const [link] = (await (await fetch(`${subscriptionUrl}/links`)).text()).split('\n');
    const client = await connect(configFromVlessLink(link as string));
    expect(await client.fetch(web.url)).toEqual(page);
  });

  it('lets an added user in and a removed one no more, without a new engine process', async () => {
    const before = enginePids();
    expect(before).toHaveLength(1);
    const { groups } = (await (await api('GET', '/groups')).json()) as { groups: { id: number }[] };
    const created = await api('POST', '/user', {
      username: 'second-user',
      group_ids: [groups[0]?.id],
      proxy_settings: { vless: { flow: 'xtls-rprx-vision' } },
    });
    expect(created.status).toBe(201);
    const added = (await created.json()) as User;
    for (const protocol of ['vless', 'shadowsocks']) {
      const client = await clientOf(added.subscription_url, protocol);
      const fetched = await eventually(
        () => client.fetch(web.url),
        (got) => got !== undefined,
      );
      expect(fetched).toEqual(page);
    }
    const known = await Promise.all(
      ['vless', 'shadowsocks'].map((protocol) => clientOf(added.subscription_url, protocol)),
    );

    expect((await api('DELETE', '/user/second-user')).status).toBe(204);
    for (const client of known) {
      expect(
        await eventually(
          () => client.fetch(web.url),
          (got) => got === undefined,
        ),
      ).toBeUndefined();
      expect(await client.fetch(web.url)).toBeUndefined();
    }
    expect((await fetch(added.subscription_url)).status).toBe(404);
    const others = await clientOf(subscriptionUrl, 'vless');
    expect(await others.fetch(web.url)).toEqual(page);
    expect(enginePids()).toEqual(before);
  });

  it('ends everything on Ctrl-C, and finds its data again at the next start', async () => {
    const used = await usedTraffic('first-user');
    const family = [...rampart.descendants().keys()];
    rampart.interrupt();
    expect(await rampart.exited).toEqual({ code: 0, signal: null });
    const alive = family.filter((pid) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    });
    expect(alive).toEqual([]);

    rampart = new QuickStartProcess(env);
    const [url] = await rampart.printed(/Subscription\s+(\S+)\n/);
    expect(url).toBe(subscriptionUrl);
    expect(rampart.output).toContain('Login         as at the first start');
    expect(rampart.output).not.toContain('Password');
    expect(await usedTraffic('first-user')).toBeGreaterThanOrEqual(used);
    const client = await clientOf(subscriptionUrl, 'vless');
    expect(
      await eventually(
        () => client.fetch(web.url),
        (got) => got !== undefined,
      ),
    ).toEqual(page);
  });

  it.each(['RAMPART_PORT', 'RAMPART_NODE_PORT', 'RAMPART_VLESS_PORT'])('names a taken port and %s', async (setting) => {
    const holder = createServer().listen(0, '0.0.0.0');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const fresh = mkdtempSync(join(tmpdir(), 'rampart-taken-'));
    try {
      const ports = Object.fromEntries(
        await Promise.all(Object.keys(env).map(async (name) => [name, String(await freePort())])),
      );
      const refused = new QuickStartProcess({ ...ports, RAMPART_DATA_DIR: fresh, [setting]: String(port) });
      expect((await refused.exited).code).toBe(1);
      expect(refused.output).toMatch(
        new RegExp(`✗ Port ${port}, for .*, is taken by another program: set ${setting} to a free port\\.`),
      );
    } finally {
      holder.close();
      rmSync(fresh, { recursive: true, force: true });
    }
  });
});
