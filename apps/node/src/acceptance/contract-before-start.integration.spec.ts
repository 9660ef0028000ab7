import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createNodeClient, NODE_SERVER_ERROR_CODES, type NodeClient } from '@rampart/node-client';
import { NODE_ERRORS } from '../errors/node-error.js';
import { failureOf } from '../testing/failure.js';
import { ContractNodeFixture, TRANSPORTS } from '../testing/nodes/contract-node.js';
import { API_KEY } from '../testing/nodes/running-node.js';

it('the client knows every error code of the node', () => {
  expect([...NODE_SERVER_ERROR_CODES].sort()).toEqual(Object.keys(NODE_ERRORS).sort());
});

describe.each(TRANSPORTS)('the node before Start, over %s', (...door) => {
  const [, transport] = door;
  let at: ContractNodeFixture;
  let client: NodeClient;

  beforeAll(async () => {
    at = await ContractNodeFixture.open(door);
    client = at.client;
  });
  afterAll(() => at.close());

  it('a node before Start tells its version', async () => {
    const info = await client.info();
    expect(info).toMatchObject({ running: false, coreType: 'xray', refused: [] });
    expect(info.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('Stop succeeds on a node before Start', async () => {
    await expect(client.stop()).resolves.toBeUndefined();
  });

  it('a node before Start opens its log', async () => {
    const leave = new AbortController();
    const lines = client.logs({ signal: leave.signal });
    const stopped = (async () => {
      // Before this line the node may warn about what its machine lacks.
      for await (const { detail } of lines) if (detail.startsWith('[rampart] Stop')) return detail;
      return undefined;
    })();
    await client.stop();
    expect(await stopped).toBe('[rampart] Stop: nothing ran');
    leave.abort();
  });

  it('a node before Start refuses every call that needs a backend', () => at.refusesWithoutBackend());

  it.each([
    [{ config: '{' }, 'CONFIG_REFUSED'],
    [{ config: '{"inbounds":[{"tag":"a","port":1,"protocol":"nothing"}]}' }, 'CONFIG_REFUSED'],
    [{ type: 1 }, 'INVALID_ARGUMENT'],
  ] as const)('a node before Start refuses to start with %j', async (wrong, code) => {
    const failure = await failureOf(client.start({ ...at.backend, ...wrong }));
    expect(failure).toMatchObject({ code, retryable: false });
    expect(await client.info()).toMatchObject({ running: false });
  });

  it('a Start on a port in use is refused and names the port', async () => {
    const taken = net.createServer().listen(at.inboundPort, '127.0.0.1');
    const failure = await failureOf(client.start(at.backend));
    await new Promise((resolve) => taken.close(resolve));
    expect(failure).toMatchObject({ code: 'START_FAILED', retryable: true });
    expect(failure.message).toContain(String(at.inboundPort));
    expect(await client.info()).toMatchObject({ running: false });
  });

  it('a node refuses every call with a wrong key', async () => {
    const stranger = at.clientOf({ apiKey: `${API_KEY}-` });
    const calls = [
      stranger.start(at.backend),
      stranger.stop(),
      stranger.info(),
      ...at.callsThatNeedBackend(stranger),
      stranger.logs()[Symbol.asyncIterator]().next(),
    ];
    await Promise.all(calls.map((call) => at.fails(call, 'UNAUTHENTICATED', 'missing or wrong API key')));
    expect(await client.info()).toMatchObject({ running: false });
  });

  it('security row 19: the client does not send its key to a node without the pinned certificate', async () => {
    const fingerprint256 = 'AB'.repeat(32);
    const stranger = createNodeClient({
      transport,
      host: '127.0.0.1',
      port: at.port,
      apiKey: API_KEY,
      tls: { fingerprint256 },
    });
    expect(await failureOf(stranger.info())).toMatchObject({ code: 'TLS_UNTRUSTED' });
    await stranger.close();
    expect(await at.clientOf({ tls: { fingerprint256: at.node.certificate.fingerprint256 } }).info()).toMatchObject({
      running: false,
    });
  });
});
