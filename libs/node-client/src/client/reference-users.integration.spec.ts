import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '../api/node-client.js';
import { User } from '../gen/service.js';
import { failureOf } from '../testing/failure.js';
import { REFERENCE_CONFIG as config, ReferenceFixture } from '../testing/reference-fixture.js';
import type { ReferenceNode } from '../testing/reference-node.js';

const ID = '0a6c9a3b-7f5e-4c7b-9d0e-2f2f0d3f8a11';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });
const bob = User.fromPartial({ email: '2.bob', proxies: { trojan: { password: 'other' } }, inbounds: ['trojan'] });
const eve = (proxies: object, inbounds: string[]): User => User.fromPartial({ email: '3.eve', proxies, inbounds });

describe.each(['grpc', 'rest'] as const)('the %s client with users of another implementation', (transport) => {
  let fixture: ReferenceFixture;
  let node: ReferenceNode;
  let client: NodeClient;

  beforeEach(async () => {
    fixture = await ReferenceFixture.listen(transport);
    node = fixture.node;
    client = fixture.client(transport);
    await client.start({ config, users: [ann] });
  });
  afterEach(() => fixture.close());

  it.each([
    ['whose id is no UUID', eve({ vless: { id: 'no-uuid' } }, ['vless'])],
    ['of an unknown inbound', eve({ vless: { id: ID } }, ['nowhere'])],
    ['without a credential for the inbound', eve({ trojan: { password: 'x' } }, ['vless'])],
  ])('another implementation accepts a user %s, and skips it without an error', async (_what, user) => {
    await client.syncUser([user, bob]);
    expect([...node.users.values()]).toEqual([ann, bob]);
    await client.syncUsers({ users: [ann, user] });
    expect([...node.users.values()]).toEqual([ann]);
    await client.syncUsersChunked([user, bob]);
    expect([...node.users.values()]).toEqual([ann, bob]);
    await client.start({ config, users: [user, bob] });
    expect([...node.users.values()]).toEqual([bob]);
  });

  it('another implementation takes an id in every spelling of a UUID', async () => {
    const spellings = [ID.toUpperCase(), ID.replaceAll('-', ''), `{${ID}}`, `urn:uuid:${ID}`];
    const users = spellings.map((id) => ({ ...eve({ vless: { id } }, ['vless']), email: id }));
    await client.syncUser(users);
    expect([...node.users.keys()]).toEqual(['1.ann', ...spellings]);
  });

  it('another implementation leaves excluded inbounds as they are', async () => {
    await client.start({ config, excludeInbounds: ['vless'], users: [ann, bob] });
    expect([...node.users.values()]).toEqual([bob]);
    await client.syncUser([{ ...bob, proxies: { ...bob.proxies!, ...ann.proxies! }, inbounds: ['vless'] }]);
    expect([...node.users.keys()]).toEqual([]);
  });

  it('another implementation accepts a user with an unknown flow, with whom its engine never starts again', async () => {
    const poison = eve({ vless: { id: ID, flow: 'xtls-rprx-magic' } }, ['vless']);
    await client.syncUser([poison]);
    expect([...node.users.values()]).toEqual([ann, poison]);
    await client.backendStats();
    node.restartEngine();
    expect(await failureOf(client.backendStats())).toMatchObject({ code: 'BACKEND_NOT_RUNNING' });
    expect(await failureOf(client.start({ config, users: [poison] }))).toMatchObject({
      code: 'START_FAILED',
      message: `Failed to start: VLESS clients: "flow" doesn't support "xtls-rprx-magic" in this version`,
    });
    expect(await client.info()).toMatchObject({ running: false });
  });
});
