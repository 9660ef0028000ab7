import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { type TestPair, testPair } from '../config/testing/certificate.js';
import { FetchLoad, vless } from '../testing/fetch-load.js';
import { BackendFixture } from '../testing/test-backend.js';

const ID = '11111111-1111-4111-8111-111111111111';
const test = new BackendFixture();
const clients: EngineClient[] = [];
const loads: FetchLoad[] = [];
let web: LocalWeb;
let echo: Awaited<ReturnType<typeof startEcho>>;

beforeAll(async () => {
  web = await startLocalWeb();
  echo = await startEcho();
});
afterAll(async () => {
  await Promise.all(loads.map((each) => each.end()));
  await Promise.all(clients.map((client) => client.close()));
  await test.close();
  echo.close();
  await web.close();
});

const lines = (pem: string) => pem.trim().split('\n');

/** The certificate that a server presents, as PEM without header and line breaks. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw.toString('base64'));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

it('a renewed certificate cuts and refuses no connection', async () => {
  const [old, renewed] = [await testPair(), await testPair()];
  const tags = ['raw', 'ws', 'httpupgrade'];
  const ports = [await freePort(), await freePort(), await freePort()];
  const trusted = [old, renewed].map(({ certificate }) => ({ usage: 'verify', certificate: lines(certificate) }));
  const config = ({ certificate, key }: TestPair) => ({
    inbounds: tags.map((network, at) => {
      const tlsSettings = { certificates: [{ certificate: lines(certificate), key: lines(key) }] };
      return vless(network, { port: ports[at] }, { network, security: 'tls', tlsSettings });
    }),
    outbounds: [{ protocol: 'freedom', settings: ALLOW_PRIVATE }],
  });
  const users = [{ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: tags }];
  await test.start(config(old), users);
  for (const [at, network] of tags.entries()) {
    const tlsSettings = { serverName: 'localhost', certificates: trusted };
    const streamSettings = { network, security: 'tls', tlsSettings };
    clients.push(await startEngineClient({ ...vlessOutbound(ports[at] ?? 0, ID), streamSettings }));
  }
  const tunnels = await Promise.all(clients.map((client) => Tunnel.open(client.port, echo.port)));
  for (const live of tunnels) await live.echo(1);
  for (const client of clients) loads.push(new FetchLoad(client, web, 1));
  await Promise.all(loads.map((each) => each.waitForFetches(5)));

  await test.start(config(renewed), users);
  await Promise.all(loads.map((each) => each.waitForFetches(10)));
  for (const live of tunnels) await live.echo(1000);
  const inOneLine = lines(renewed.certificate).slice(1, -1).join('');
  expect(await Promise.all(ports.map(shownAt))).toEqual(ports.map(() => inOneLine));
  expect((await Promise.all(loads.map((each) => each.end()))).flat()).toEqual([]);
  expect(test.backend.warnings).toEqual([]);
  for (const live of tunnels) live.close();
  await eventually('the old engine has ended', async (saw) => saw(await test.pids()).length === 1);
});
