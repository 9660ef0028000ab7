import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import type { StatType } from '../gen/service.js';
import { failureOf } from '../testing/failure.js';
import { REFERENCE_CONFIG as config, ReferenceFixture } from '../testing/reference-fixture.js';
import type { ReferenceNode } from '../testing/reference-node.js';

describe.each(['grpc', 'rest'] as const)('the %s client with a slow Start of another implementation', (transport) => {
  let fixture: ReferenceFixture;
  let node: ReferenceNode;
  let client: NodeClient;

  beforeEach(async () => {
    fixture = await ReferenceFixture.listen(transport);
    node = fixture.node;
    client = fixture.client(transport);
    await client.start({ config });
  });
  afterEach(() => fixture.close());

  async function firstLine(): Promise<string> {
    for await (const { detail } of client.logs({ resume: false })) return detail;
    throw new Error('the log ended');
  }

  it.each<[string, () => Promise<unknown>]>([
    ['GET /info', () => client.info()],
    ['GET /stats/backend', () => client.backendStats()],
    ['PUT /users/sync', () => client.syncUsers({ users: [] })],
    ['GET /logs', () => firstLine()],
  ])('the call %s waits until another implementation has started its engine', async (route, call) => {
    const open = node.starts.hold();
    const begun = once(node.starts, 'begun');
    const starting = client.start({ config });
    await begun;
    node.starts.once('waiting', open);
    node.starts.once('ended', () => node.calls.push('the engine is ready'));
    const calling = call();
    expect(await starting).toMatchObject({ running: true });
    node.log.print('a line');
    await calling;
    expect(node.calls).toEqual(['POST /start', 'POST /start', 'the engine is ready', route]);
  });

  it('a Start waits until another implementation has started an engine, and replaces it', async () => {
    const open = node.starts.hold();
    node.starts.once('waiting', open);
    const [first, second] = await Promise.all([client.start({ config }), fixture.client(transport).start({ config })]);
    expect([first, second]).toMatchObject([{ running: true }, { running: true }]);
    expect(node.core.starts).toBe(3);
  });

  it.each<[string, string, string, (breakOff: AbortSignal) => object]>([
    ['caller', 'CANCELLED', 'cancelled by the caller', (signal) => ({ signal })],
    ['deadline', 'TIMEOUT', 'no answer within 500 ms', () => ({ timeoutMs: 500 })],
  ])('a Start that its %s breaks off leaves another implementation without an engine', async (...row) => {
    const [, code, message, optionsOf] = row;
    const open = node.starts.hold();
    const abort = new AbortController();
    node.starts.once('begun', () => abort.abort());
    const failure = await failureOf(client.start({ config }, optionsOf(abort.signal)));
    expect(failure).toMatchObject({ code, message });
    expect(await client.info()).toMatchObject({ running: false });
    expect(await failureOf(client.backendStats())).toMatchObject({ code: 'BACKEND_NOT_INITIALIZED' });
    open();
    expect(await client.start({ config })).toMatchObject({ running: true });
  });

  it('another implementation stops its engine when no call succeeds for the time of its keep-alive', async () => {
    await client.start({ config, keepAlive: 1n });
    const refused = () => failureOf(client.stats({ type: 17 as StatType }));
    let failure = await refused();
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT' });
    while (failure.code === 'INVALID_ARGUMENT') failure = await refused();
    expect(failure).toMatchObject({ code: 'BACKEND_NOT_INITIALIZED' });
    expect(await client.info()).toMatchObject({ running: false });
  });
});
