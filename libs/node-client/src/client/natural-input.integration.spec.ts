import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { User } from '../gen/service.js';
import { EncodedUsers } from '../messages/encoded-users.js';
import { failureOf } from '../testing/failure.js';
import { REFERENCE_CONFIG as config, ReferenceFixture } from '../testing/reference-fixture.js';
import type { ReferenceNode } from '../testing/reference-node.js';

const ANN = { email: '1.ann', proxies: { vless: { id: '0a6c9a3b-7f5e-4c7b-9d0e-2f2f0d3f8a11' } }, inbounds: ['vless'] };
/** Values that TypeScript would refuse. */
const BROKEN = { email: '2.bob', inbounds: [7] } as unknown as typeof ANN;

describe.each(['grpc', 'rest'] as const)('the %s client', (transport) => {
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

  it.each<[string, () => Promise<unknown>]>([
    ['start', () => client.start({ config, users: [ANN], keepAlive: 60 })],
    ['syncUser', () => client.syncUser([ANN])],
    ['syncUsers', () => client.syncUsers({ users: [ANN], revision: '7' })],
    ['syncUsersChunked', () => client.syncUsersChunked([ANN], { revision: 7 })],
  ])('the client completes the users of %s', async (_name, call) => {
    await call();
    expect([...node.users.values()]).toEqual([User.fromPartial(ANN)]);
  });

  it('the client sends users that were encoded once to start and syncUsersChunked, and refuses those of the other call', async () => {
    const [forStart, forChanges] = [EncodedUsers.forStart(), EncodedUsers.forChanges()];
    for (const encoded of [forStart, forChanges]) encoded.add(ANN);
    await client.start({ config, users: forStart });
    expect([...node.users.values()]).toEqual([User.fromPartial(ANN)]);
    await client.syncUsers({ users: [] });
    for (const _ of [1, 2]) await client.syncUsersChunked(forChanges);
    expect([...node.users.values()]).toEqual([User.fromPartial(ANN)]);
    const refused = [client.start({ config, users: forChanges }), client.syncUsersChunked(forStart)];
    expect(await Promise.all(refused.map((call) => failureOf(call)))).toMatchObject([
      { code: 'INVALID_ARGUMENT', message: expect.stringContaining('the users were encoded for another call') },
      { code: 'INVALID_ARGUMENT', message: 'the users were encoded for start, not for syncUsersChunked' },
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['start', () => client.start({ config, users: [ANN, BROKEN] })],
    ['syncUser', () => client.syncUser([ANN, BROKEN])],
    ['syncUsers', () => client.syncUsers({ users: [ANN, BROKEN] })],
    ['syncUsersChunked', () => client.syncUsersChunked([ANN, BROKEN], { chunkSize: 1 })],
  ])('the client refuses a user whom no message can hold, in %s', async (_name, call) => {
    const failure = await failureOf(call());
    const message = 'inbounds of user "2.bob" must be a list of texts';
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', message, retryable: false });
    expect(node.users.has('2.bob')).toBe(false);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['start', () => client.start({ config, keepAlive: -1n })],
    ['start', () => client.start({ config, keepAlive: 'soon' })],
    ['start', () => client.start({ excludeInbounds: 'in' as unknown as string[] })],
    ['stats', () => client.stats({ type: 0.5 as never })],
    ['collectTraffic', () => client.collectTraffic({ acknowledge: 2n ** 64n })],
    ['syncUsers', () => client.syncUsers({ users: [], revision: 0.5 })],
    ['syncUsersChunked', () => client.syncUsersChunked([ANN], { revision: -1n })],
  ])('the client refuses a value that the message of %s cannot hold', async (_name, call) => {
    expect(await failureOf(call())).toMatchObject({ code: 'INVALID_ARGUMENT', retryable: false });
    // The failed call does not affect the next one.
    expect(await client.info()).toMatchObject({ running: true });
  });
});
