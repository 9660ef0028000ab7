import { afterAll, expect, it } from '@jest/globals';
import { ALLOW_PRIVATE, type EngineClient, eventually, freePort, startEngineClient } from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { testPair } from '../config/testing/certificate.js';
import { BackendFixture } from '../testing/test-backend.js';

const ID = '11111111-1111-4111-8111-111111111111';
const test = new BackendFixture();
const open: { close(): unknown }[] = [];
afterAll(async () => {
  for (const each of open) await each.close();
  await test.close();
});

it('a draining engine that still listens on an HTTP/3 port is ended when a configuration needs that port', async () => {
  const [raw, h3, pair] = [await freePort(), await freePort(), await testPair()];
  const on = (tag: string, port: number, streamSettings: object = {}) => ({
    ...{ tag, listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' }, streamSettings },
  });
  const tlsSettings = { certificates: [pair], alpn: ['h3'] };
  const both = [on('raw', raw), on('h3', h3, { network: 'xhttp', security: 'tls', tlsSettings })];
  const start = (inbounds: object[], number: number) =>
    test.start({ inbounds, outbounds: [{ tag: `direct-${number}`, protocol: 'freedom', settings: ALLOW_PRIVATE }] }, [
      { email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['raw', 'h3'] },
    ]);
  await start(both, 1);
  const echo = await startEcho();
  const client: EngineClient = await startEngineClient(vlessOutbound(raw, ID));
  open.push(echo, client);
  const live = await Tunnel.open(client.port, echo.port);
  open.push(live);
  await live.echo(1000);
  await start(both.slice(0, 1), 2);
  await live.echo(1000);
  expect(await test.pids()).toHaveLength(2);
  await start(both, 3);
  await eventually('nothing drains any more', async (saw) => saw(await test.pids()).length === 1);
});
