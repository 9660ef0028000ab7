import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { shadowsocksOutbound, vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { type TestPair, testPair } from '../config/testing/certificate.js';
import { config, FetchLoad, vless } from '../testing/fetch-load.js';
import { BackendFixture, rawUsers } from '../testing/test-backend.js';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';
/** A new engine delays REALITY clients in steps of 5 s until it has measured the target. */
const PATIENCE_MS = 12_000;
const SHORT_ID = '0123456789abcdef';

function x25519() {
  const { x, d } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { privateKey: String(d), publicKey: String(x) };
}

/** The stream settings of server and client for each transport. */
function transports(pair: TestPair, camouflage: number): Record<string, { server: object; client: object }> {
  const same = (settings: object) => ({ server: settings, client: settings });
  const { privateKey, publicKey } = x25519();
  const trusted = {
    serverName: 'localhost',
    certificates: [{ usage: 'verify', certificate: lines(pair.certificate) }],
  };
  return {
    raw: same({}),
    tls: {
      server: { security: 'tls', tlsSettings: { certificates: [pair] } },
      client: { security: 'tls', tlsSettings: trusted },
    },
    reality: {
      server: {
        security: 'reality',
        realitySettings: {
          ...{ dest: `127.0.0.1:${camouflage}`, serverNames: ['localhost'] },
          ...{ privateKey, shortIds: [SHORT_ID] },
        },
      },
      client: {
        security: 'reality',
        realitySettings: { fingerprint: 'chrome', serverName: 'localhost', publicKey, shortId: SHORT_ID },
      },
    },
    ws: same({ network: 'ws', wsSettings: { path: '/ws' } }),
    httpupgrade: same({ network: 'httpupgrade', httpupgradeSettings: { path: '/upgrade' } }),
  };
}

const lines = (pem: string) => pem.trim().split('\n');

describe('a new configuration on raw, tls, reality, ws and httpupgrade', () => {
  const test = new BackendFixture();
  const clients: EngineClient[] = [];
  const loads: FetchLoad[] = [];
  let web: LocalWeb;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let pair: TestPair;
  let camouflage: ReturnType<typeof createServer>;

  beforeAll(async () => {
    web = await startLocalWeb();
    echo = await startEcho();
    pair = await testPair();
    camouflage = createServer({ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.3', ALPNProtocols: ['h2'] });
    await once(camouflage.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    await Promise.all(loads.map((each) => each.end()));
    await Promise.all(clients.map((client) => client.close()));
    await test.close();
    camouflage.close();
    echo.close();
    await web.close();
  });

  it('a handover cuts no connection and refuses no new one, and the old engine ends with its last connection', async () => {
    const inbounds: object[] = [];
    const outbounds: Record<string, unknown>[] = [];
    for (const [tag, { server, client }] of Object.entries(
      transports(pair, (camouflage.address() as AddressInfo).port),
    )) {
      const port = await freePort();
      inbounds.push(vless(tag, { port }, server));
      outbounds.push({ ...vlessOutbound(port, ID), streamSettings: client });
    }
    const port = await freePort();
    inbounds.push({ tag: 'ss', listen: '127.0.0.1', port, protocol: 'shadowsocks', settings: { network: 'tcp,udp' } });
    outbounds.push(shadowsocksOutbound(port, 'aes-128-gcm', 'ann'));
    const ann = {
      email: '1.ann',
      proxies: { vless: { id: ID }, shadowsocks: { password: 'ann', method: 'aes-128-gcm' } },
      inbounds: ['raw', 'tls', 'reality', 'ws', 'httpupgrade', 'ss'],
    };
    await test.start(config(inbounds, 1), [ann]);
    const [first] = await test.pids();
    for (const outbound of outbounds) clients.push(await startEngineClient(outbound));
    const tunnels = await Promise.all(
      clients.map(async (client) => {
        const tunnel = await Tunnel.open(client.port, echo.port);
        // The engine ends a connection that sends nothing in its first four seconds; opening REALITY's may take longer.
        await tunnel.echo(1);
        return tunnel;
      }),
    );
    for (const client of clients) loads.push(new FetchLoad(client, web, 1, PATIENCE_MS));
    await Promise.all(loads.map((each) => each.waitForFetches(5)));

    await test.start(config(inbounds, 2), [ann]);
    expect((await test.pids()).length).toBe(2);
    await Promise.all(loads.map((each) => each.waitForFetches(10)));
    const bob = { email: '2.bob', proxies: { vless: { id: OTHER_ID } }, inbounds: ['raw'] };
    expect((await test.backend.replaceUsers(rawUsers([ann, bob]))).refused).toEqual([]);
    await Promise.all(loads.map((each) => each.waitForFetches(5)));
    for (const live of tunnels) await live.echo(1000);

    const problems: [inbound: string, problem: string][] = [];
    for (const [index, each] of loads.entries()) {
      for (const problem of await each.end()) problems.push([ann.inbounds[index] ?? '', problem]);
    }
    expect(problems).toEqual([]);
    expect(await test.pids()).toContain(first);
    for (const live of tunnels) live.close();
    await eventually('the old engine has ended', async (saw) => !saw(await test.pids()).includes(first ?? 0));
    expect(test.notes).toEqual([
      `[rampart] the previous engine (process ${first}) keeps running for its connections`,
      `[rampart] the previous engine (process ${first}) has no connection left`,
    ]);
    expect(test.backend.warnings).toEqual([]);
    expect(test.backend.restarts).toBe(0);
  });
});
