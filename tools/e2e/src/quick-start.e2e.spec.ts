import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  REACH_LOOPBACK,
  scratchFolder,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';
import { QuickStartProcess } from './testing/quick-start-process.js';
import { configFromVlessLink } from './testing/vless-link.js';

jest.setTimeout(180_000);

const dataDir = mkdtempSync(join(scratchFolder(), 'rampart-quick-start-'));
const page = randomBytes(100_000).toString('hex');
/** Maximum traffic of a page beyond its bytes: request, headers, framing and retries. */
const OVERHEAD = 20_000;

/** Shorter than the time after which programs that do not end are killed. */
const MAX_SHUTDOWN_MS = 10_000;

const PORTS = ['RAMPART_PORT', 'RAMPART_NODE_PORT', 'RAMPART_VLESS_PORT', 'RAMPART_SHADOWSOCKS_PORT'];
const freePorts = async () =>
  Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, String(await freePort())] as const)));

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
let web: LocalWeb;
let subscriptionUrl: string;
let api: (method: string, path: string, body?: object) => Promise<Response>;
const clients: EngineClient[] = [];

beforeAll(async () => {
  web = await startLocalWeb(page);
  env = { ...(await freePorts()), RAMPART_DATA_DIR: dataDir };
  rampart = new QuickStartProcess(env);
  const [username, password, base, url] = await rampart.printed(
    /Login\s+(\S+)\nPassword\s+(\S+) .*\nDashboard .*\nAPI\s+(\S+)\/api\n.*\nSubscription\s+(\S+)\n/,
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
  await Promise.all(clients.map((client) => client.close()));
  await rampart.stop();
  await web.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function connect(config: Record<string, unknown>): Promise<EngineClient> {
  const client = await startEngineClientWith(config);
  clients.push(client);
  return client;
}

/** Whether the page arrives. A refused connection never answers, so the fetch has a time limit. */
const arrives = (client: EngineClient): Promise<boolean> =>
  client.fetch(web.url, 2_000).then(
    (body) => body === page,
    () => false,
  );

const xrayConfigs = async (url: string) => (await (await fetch(`${url}/xray`)).json()) as XrayConfig[];

async function clientOf(url: string, protocol: string): Promise<EngineClient> {
  const config = (await xrayConfigs(url)).find(({ outbounds }) => outbounds[0]?.protocol === protocol);
  return connect({ ...config });
}

const usedTraffic = async (username: string) =>
  ((await (await api('GET', `/user/${username}`)).json()) as User).used_traffic;

const stillAlive = (pids: number[]) =>
  pids.filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });

/** A process whose parent ended first is a zombie until init has collected it. */
const allEnded = (pids: number[]) =>
  eventually('all processes have ended', (saw) => saw(stillAlive(pids)).length === 0);

const enginePids = () => [...rampart.descendants()].filter(([, name]) => name === 'xray').map(([pid]) => pid);

describe('npm start', () => {
  it('serves a subscription in both formats, with one proxy for each inbound', async () => {
    expect((await xrayConfigs(subscriptionUrl)).map(({ remarks }) => remarks)).toEqual([
      'VLESS REALITY first-user',
      'Shadowsocks 2022 first-user',
    ]);
    const links = (await (await fetch(`${subscriptionUrl}/links`)).text()).split('\n');
    expect(links.map((link) => link.slice(0, link.indexOf(':')))).toEqual(['vless', 'ss']);
    const base64 = await (await fetch(subscriptionUrl)).text();
    expect(Buffer.from(base64, 'base64').toString()).toBe(links.join('\n'));
  });

  it('security row 32: users of the quick start reach this machine only after its core allows it', async () => {
    const { groups } = (await (await api('GET', '/groups')).json()) as { groups: { id: number }[] };
    const created = await api('POST', '/user', { username: 'visitor', group_ids: [groups[0]?.id] });
    const visitor = await clientOf(((await created.json()) as User).subscription_url, 'shadowsocks');
    for (const host of ['127.0.0.1', 'localhost']) {
      await expect(visitor.fetch(`http://${host}:${new URL(web.url).port}/`, 2_000)).rejects.toThrow();
    }
    const { cores } = (await (await api('GET', '/cores')).json()) as { cores: { id: number; name: string }[] };
    const core = cores.find(({ name }) => name === 'Quick start');
    const changed = await api('PUT', `/core/${core?.id}?restart_nodes=true`, { ...core, ...REACH_LOOPBACK });
    expect(changed.status).toBe(200);
    await eventually('the allowed network is reached', () => arrives(visitor));
    expect((await api('DELETE', '/user/visitor')).status).toBe(204);
  });

  it('a client that knows only the subscription URL fetches a page, and its bytes are counted', async () => {
    expect(await usedTraffic('first-user')).toBe(0);
    const client = await clientOf(subscriptionUrl, 'vless');
    expect(await client.fetch(web.url)).toBe(page);
    await eventually('the page is counted', async (saw) => saw(await usedTraffic('first-user')) >= page.length);
    const used = await usedTraffic('first-user');
    expect(used).toBeGreaterThanOrEqual(page.length);
    expect(used).toBeLessThan(page.length + OVERHEAD);
  });

  it('a client fetches a page over Shadowsocks-2022', async () => {
    const client = await clientOf(subscriptionUrl, 'shadowsocks');
    expect(await client.fetch(web.url)).toBe(page);
  });

  it('a client that is configured from a share link fetches a page', async () => {
    const [link] = (await (await fetch(`${subscriptionUrl}/links`)).text()).split('\n');
    const client = await connect(configFromVlessLink(link as string));
    expect(await client.fetch(web.url)).toBe(page);
  });

  it('users are added and removed without a new engine process', async () => {
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
    const protocols = ['vless', 'shadowsocks'];
    await Promise.all(
      protocols.map(async (protocol) => {
        const client = await clientOf(added.subscription_url, protocol);
        await eventually(`the added user gets through by ${protocol}`, () => arrives(client));
      }),
    );
    const known = await Promise.all(protocols.map((protocol) => clientOf(added.subscription_url, protocol)));

    expect((await api('DELETE', '/user/second-user')).status).toBe(204);
    await Promise.all(
      known.map(async (client) => {
        await eventually('the removed user gets through no more', async (saw) => !saw(await arrives(client)));
        expect(await arrives(client)).toBe(false);
      }),
    );
    expect((await fetch(added.subscription_url)).status).toBe(404);
    const others = await clientOf(subscriptionUrl, 'vless');
    expect(await others.fetch(web.url)).toBe(page);
    expect(enginePids()).toEqual(before);
  });

  it('Ctrl-C ends all processes, and the next start finds its data again', async () => {
    const used = await usedTraffic('first-user');
    const family = [...rampart.descendants().keys()];
    rampart.interrupt();
    expect(await rampart.exited).toEqual({ code: 0, signal: null });
    await allEnded(family);

    // The ports of the first start stay, whatever these settings say later.
    const moved = { RAMPART_NODE_PORT: String(await freePort()), RAMPART_VLESS_PORT: String(await freePort()) };
    rampart = new QuickStartProcess({ ...env, ...moved });
    const [url] = await rampart.printed(/Subscription\s+(\S+)\n/);
    expect(url).toBe(subscriptionUrl);
    expect(rampart.output).toContain('Login         as at the first start');
    expect(rampart.output).not.toContain('Password');
    expect(await usedTraffic('first-user')).toBeGreaterThanOrEqual(used);
    const client = await clientOf(subscriptionUrl, 'vless');
    await eventually('the node serves again', () => arrives(client));
  });

  it.each(['creating the database', 'Ready on http'])(
    'ends on Ctrl-C at "%s" of a first start, and the next one completes it',
    async (moment) => {
      const fresh = mkdtempSync(join(scratchFolder(), 'rampart-interrupted-'));
      const settings = { ...(await freePorts()), RAMPART_DATA_DIR: fresh };
      const first = new QuickStartProcess(settings);
      let next: QuickStartProcess | undefined;
      try {
        await first.printed(new RegExp(moment));
        const family = [...first.descendants().keys()];
        const since = performance.now();
        first.interrupt();
        expect(await first.exited).toEqual({ code: 0, signal: null });
        expect(performance.now() - since).toBeLessThan(MAX_SHUTDOWN_MS);
        await allEnded(family);

        next = new QuickStartProcess(settings);
        const [url] = await next.printed(/Password\s+\S+ [\s\S]*Subscription\s+(\S+)\n/);
        expect((await xrayConfigs(url as string)).map(({ outbounds }) => outbounds[0]?.protocol)).toEqual([
          'vless',
          'shadowsocks',
        ]);
      } finally {
        await first.stop();
        await next?.stop();
        rmSync(fresh, { recursive: true, force: true });
      }
    },
  );

  it.each(PORTS)('the error for a taken port names %s', async (setting) => {
    const holder = createServer().listen(0, '0.0.0.0');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const fresh = mkdtempSync(join(scratchFolder(), 'rampart-taken-'));
    try {
      const refused = new QuickStartProcess({
        ...(await freePorts()),
        RAMPART_DATA_DIR: fresh,
        [setting]: String(port),
      });
      expect((await refused.exited).code).toBe(1);
      expect(refused.output).toMatch(
        new RegExp(`✗ Port ${port}, for .*, is taken by another program: set ${setting} to a free port\\.`),
      );
    } finally {
      holder.close();
      rmSync(fresh, { recursive: true, force: true });
    }
  });

  it('refuses unknown arguments before it does anything', async () => {
    const refused = new QuickStartProcess({ RAMPART_PORT: 'none' }, ['--port=9000']);
    expect((await refused.exited).code).toBe(1);
    expect(refused.output).toBe(
      '\n✗ npm start takes no argument "--port=9000"; npm start -- --help lists the settings.\n',
    );
  });
});
