import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createNodeClient } from './create-node-client.js';
import type { User } from './gen/service.js';
import type { NodeClient } from './node-client.js';
import { failureOf } from './testing/failure.js';

async function* never(): AsyncGenerator<User> {
  await new Promise(() => undefined);
  yield* [];
}

/** Against a peer that accepts connections and never says a word. */
describe.each(['grpc', 'rest'] as const)('the %s client', (transport) => {
  let server: net.Server;
  let client: NodeClient;

  beforeEach(async () => {
    server = net.createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    client = createNodeClient({ transport, host: '127.0.0.1', port, apiKey: 'a-key-of-the-tests', tls: 'system' });
  });
  afterEach(async () => {
    await client.close();
    server.close();
    await once(server, 'close');
  });

  it('closes by close() a connection that is still being made', async () => {
    const connected = once(server, 'connection');
    const failure = failureOf(client.info());
    const [socket]: net.Socket[] = await connected;
    const closed = once(socket ?? server, 'close');
    await client.close();
    expect(await failure).toMatchObject({ code: 'CANCELLED', message: 'the client is closed' });
    await closed;
  });

  it('ends by its time-out although the source of users gives nothing', async () => {
    expect(await failureOf(client.syncUser(never(), { timeoutMs: 50 }))).toMatchObject({ code: 'TIMEOUT' });
  });
});
