import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '@rampart/node-client';
import {
  type EngineClient,
  enginePath,
  freePort,
  type LocalWeb,
  type SilentServer,
  startEngineServer,
  startLocalWeb,
  startSilentServer,
} from '@rampart/testing';
import { enginePids } from '../testing/engine-pids.js';
import { failureOf } from '../testing/failure.js';
import { RunningNode } from '../testing/nodes/running-node.js';

const PASSWORD = 'a trojan password';

let node: RunningNode;
let strict: RunningNode;
let web: LocalWeb;
let silent: SilentServer;
let server: Pick<EngineClient, 'close'>;
let port: number;
beforeAll(async () => {
  const engine = { XRAY_EXECUTABLE_PATH: enginePath() };
  port = await freePort();
  const trojan = { protocol: 'trojan', settings: { clients: [{ password: PASSWORD, email: 'a' }] } };
  [node, strict, web, silent, server] = await Promise.all([
    RunningNode.open({ settings: { ...engine, RAMPART_PROBE_NETWORKS: '127.0.0.0/8' } }),
    RunningNode.open({ settings: engine }),
    startLocalWeb('x'.repeat(1024 * 1024)),
    startSilentServer(),
    startEngineServer([{ listen: '127.0.0.1', port, ...trojan } as { port: number }]),
  ]);
});
afterAll(async () => {
  await Promise.all([node?.close(), strict?.close(), web?.close(), server?.close()]);
  silent?.close();
});

const outboundsTo = (toPort: number, address = '127.0.0.1') =>
  JSON.stringify([
    {
      ...{ tag: 'proxy', protocol: 'trojan', streamSettings: { network: 'tcp', security: 'none' } },
      settings: { servers: [{ address, port: toPort, password: PASSWORD }] },
    },
  ]);

describe.each(['grpc', 'rest'] as const)('Probe over %s', (transport) => {
  let client: NodeClient;
  beforeAll(() => {
    client = node.client(transport);
  });

  it('Probe fetches a URL through the outbound and measures it, though no backend was started', async () => {
    expect(await client.probe({ outbounds: outboundsTo(port), url: web.url })).toEqual({
      ...{ stage: 'done', error: '', address: '127.0.0.1', httpStatus: 200, bytes: 1024 * 1024 },
      ...{ handshakeMs: expect.any(Number), firstByteMs: expect.any(Number), bytesPerSecond: expect.any(BigInt) },
    });
  });

  it('Probe reads no more than it was asked to', async () => {
    const { bytes } = await client.probe({ outbounds: outboundsTo(port), url: web.url, maxBytes: 1_000 });
    expect(bytes).toBeGreaterThanOrEqual(1_000);
    expect(bytes).toBeLessThan(200_000);
  });

  it('Probe answers with the words of the client where the port is closed', async () => {
    const answer = await client.probe({ outbounds: outboundsTo(1), url: web.url });
    expect(answer).toMatchObject({ stage: 'handshake', address: '127.0.0.1', httpStatus: 0 });
    expect(answer.error).toMatch(/dial tcp 127\.0\.0\.1:1: connect: connection refused/);
  });

  it('Probe leaves no engine and no directory behind', async () => {
    await client.probe({ outbounds: outboundsTo(port), url: web.url });
    expect(await enginePids(node.dataDir)).toEqual([]);
    expect(await readdir(join(node.dataDir, 'run'))).toEqual([]);
  });

  it('security row 9: Probe never enters a private network that the settings of the node do not name', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'localhost']) {
      const answer = await strict.client(transport).probe({ outbounds: outboundsTo(port, address), url: web.url });
      expect(answer).toMatchObject({ stage: 'address', address: '', handshakeMs: 0 });
      expect(answer.error).toMatch(/ is no address of the public internet$/);
    }
  });

  it.each<[object, string]>([
    [{ url: 'file:///etc/passwd' }, 'url should be an http or https URL'],
    [{ url: '' }, 'url should be an http or https URL'],
    [{ timeoutMs: 30_001 }, 'timeout_ms should be at most 30000'],
    [{ maxBytes: 4_194_305 }, 'max_bytes should be at most 4194304'],
  ])('Probe refuses %j', async (change, message) => {
    const failure = await failureOf(client.probe({ outbounds: outboundsTo(port), url: web.url, ...change }));
    expect([failure.code, failure.message]).toEqual(['INVALID_ARGUMENT', message]);
  });

  it('Probe accepts only outbounds that subscriptions have', async () => {
    const outbounds = JSON.stringify([{ tag: 'proxy', protocol: 'freedom', settings: {} }]);
    expect(await client.probe({ outbounds, url: web.url })).toMatchObject({
      stage: 'settings',
      error: 'outbounds[0].protocol should be one of vmess, vless, trojan, shadowsocks',
    });
  });
});

it('two probes run at a time, sixteen wait, and one more is refused with TOO_MANY_PROBES', async () => {
  const client = node.client('grpc');
  const request = { outbounds: outboundsTo(silent.port), url: web.url, timeoutMs: 500 };
  const all = await Promise.all(
    Array.from({ length: 19 }, () => client.probe(request, { timeoutMs: 60_000 }).catch((error: unknown) => error)),
  );
  const refused = all.filter((answer) => Reflect.get(Object(answer), 'code') !== undefined);
  expect(refused).toMatchObject([
    { code: 'TOO_MANY_PROBES', message: '16 probes are waiting already: try again later', retryable: true },
  ]);
  expect(all.filter((answer) => Reflect.get(Object(answer), 'stage') === 'handshake')).toHaveLength(18);
}, 60_000);
