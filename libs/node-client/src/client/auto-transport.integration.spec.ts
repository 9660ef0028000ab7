import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { type Issued, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { REFERENCE_KEY } from '../testing/reference-key.js';
import { ReferenceNode } from '../testing/reference-node.js';
import { closedPort } from '../testing/tls-peer.js';
import { createNodeClient } from './create-node-client.js';

let certificate: Issued;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
});

describe('the auto client', () => {
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  const nodeOf = async (serving: 'grpc' | 'rest', port = 0): Promise<[ReferenceNode, number]> => {
    const node = new ReferenceNode(serving, certificate);
    opened.push(() => node.close());
    return [node, await node.listen(port)];
  };
  const clientOf = (port: number): NodeClient => {
    const options = { host: '127.0.0.1', port, apiKey: REFERENCE_KEY, tls: { ca: certificate.cert } };
    const client = createNodeClient({ transport: 'auto', timeoutMs: 5_000, ...options });
    opened.unshift(() => client.close());
    return client;
  };

  it.each(['grpc', 'rest'] as const)(
    'probes a node that serves %s once, and sends every call once',
    async (serving) => {
      const [node, port] = await nodeOf(serving);
      const client = clientOf(port);
      await Promise.all([client.start({ config: '{}' }), client.info()]);
      await client.syncUsers({ users: [] });
      await client.stop();
      const asked = node.calls.filter((call) => call === 'GET /info').length;
      // One connection belongs to the calls; for REST, a handshake is enough to decide.
      expect(asked).toBe(serving === 'grpc' ? 2 : 1);
      for (const call of ['POST /start', 'PUT /users/sync', 'PUT /stop']) {
        expect(node.calls.filter((made) => made === call)).toEqual([call]);
      }
    },
  );

  it('finds the other transport after a lost connection, and sends nothing twice', async () => {
    const [first, port] = await nodeOf('grpc');
    const client = clientOf(port);
    await client.start({ config: '{}' });
    await first.close();
    const [second] = await nodeOf('rest', port);
    await client.start({ config: '{}' }).catch(() => client.start({ config: '{}' }));
    expect(second.calls).toEqual(['POST /start']);
    await second.close();
    const [third] = await nodeOf('grpc', port);
    await client.info().catch(() => undefined);
    expect(await client.info()).toMatchObject({ version: '0.5.2' });
    expect(third.calls.every((call) => call === 'GET /info')).toBe(true);
  });

  it('reports an unreachable node, and reaches it later', async () => {
    const port = await closedPort();
    const client = clientOf(port);
    expect(await failureOf(client.info())).toMatchObject({ code: 'UNREACHABLE', retryable: true });
    await nodeOf('rest', port);
    // gRPC waits before it connects again.
    let info = await client.info().catch(() => undefined);
    while (!info) info = await client.info().catch(() => undefined);
    expect(info).toMatchObject({ version: '0.5.2' });
  });

  it('ends a call by its timeout, its signal, and close()', async () => {
    const silent = net.createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    opened.push(() => new Promise((resolve) => silent.close(resolve)));
    const client = clientOf((silent.address() as AddressInfo).port);
    expect(await failureOf(client.info({ timeoutMs: 50 }))).toMatchObject({ code: 'TIMEOUT' });
    expect(await failureOf(client.info({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'CANCELLED' });
    const ended = failureOf(client.stop());
    await client.close();
    expect(await ended).toMatchObject({ code: 'CANCELLED', message: 'the client is closed' });
  });
});
