import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallOptions, NodeClient } from '../api/node-client.js';
import { User } from '../gen/service.js';
import { failureOf } from '../testing/failure.js';
import { createNodeClient } from './create-node-client.js';

async function* never(): AsyncGenerator<User> {
  await new Promise(() => undefined);
  yield* [];
}

/** Calls to a peer that accepts connections and never sends anything. */
describe.each(['grpc', 'rest', 'auto'] as const)('the %s client', (transport) => {
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

  it('close() ends a connection that is still being made', async () => {
    const connected = once(server, 'connection');
    const failure = failureOf(client.info());
    const [socket]: net.Socket[] = await connected;
    const closed = once(socket ?? server, 'close');
    await client.close();
    expect(await failure).toMatchObject({ code: 'CANCELLED', message: 'the client is closed' });
    await closed;
  });

  it.each<[string, (client: NodeClient, options: CallOptions) => Promise<unknown>]>([
    ['start', (node, options) => node.start({}, options)],
    ['stop', (node, options) => node.stop(options)],
    ['info', (node, options) => node.info(options)],
    ['logs', (node, options) => node.logs(options)[Symbol.asyncIterator]().next()],
    ['stats', (node, options) => node.stats({}, options)],
    ['systemStats', (node, options) => node.systemStats(options)],
    ['backendStats', (node, options) => node.backendStats(options)],
    ['userOnline', (node, options) => node.userOnline('1.a', options)],
    ['userOnlineIps', (node, options) => node.userOnlineIps('1.a', options)],
    ['onlineUsers', (node, options) => node.onlineUsers(options)],
    ['latencies', (node, options) => node.latencies('', options)],
    ['syncUser', (node, options) => node.syncUser([User.create()], options)],
    ['syncUsers', (node, options) => node.syncUsers({}, options)],
    ['syncUsersChunked', (node, options) => node.syncUsersChunked([User.create()], options)],
    ['collectTraffic', (node, options) => node.collectTraffic({}, options)],
    ['probe', (node, options) => node.probe({}, options)],
  ])('the call %s ends by its timeout and by its signal', async (name, call) => {
    const timedOut = await failureOf(call(client, { timeoutMs: 20 }));
    expect(timedOut).toMatchObject({ code: 'TIMEOUT', message: 'no answer within 20 ms', retryable: true });
    const leave = new AbortController();
    const left = call(client, { signal: leave.signal });
    leave.abort();
    // Leaving the loop ends a log without an error.
    if (name === 'logs') expect(await left).toEqual({ done: true, value: undefined });
    else expect(await failureOf(left)).toMatchObject({ code: 'CANCELLED', message: 'cancelled by the caller' });
  });

  it.each([0, -1, Number.NaN])('a timeout of %d ms is refused', async (timeoutMs) => {
    const message = 'timeoutMs must be greater than 0; use Infinity for no end';
    expect(await failureOf(client.info({ timeoutMs }))).toMatchObject({ code: 'INVALID_ARGUMENT', message });
  });

  it('a call with an infinite timeout waits without end', async () => {
    const leave = new AbortController();
    const left = failureOf(client.info({ timeoutMs: Number.POSITIVE_INFINITY, signal: leave.signal }));
    // A timer of the call would have fired before this one.
    await failureOf(client.info({ timeoutMs: 20 }));
    leave.abort();
    expect(await left).toMatchObject({ code: 'CANCELLED' });
  });

  it('a call ends by its timeout although the source of users yields nothing', async () => {
    expect(await failureOf(client.syncUser(never(), { timeoutMs: 50 }))).toMatchObject({ code: 'TIMEOUT' });
  });
});
