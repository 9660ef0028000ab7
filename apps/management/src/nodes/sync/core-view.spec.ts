import { describe, expect, it } from '@jest/globals';
import { newProxySettings } from '@rampart/domain';
import { User, userDigest } from '@rampart/node-client';
import { storedProxySettings } from '../../user-store/credentials/stored-proxy-settings.js';
import type { ServedUser } from '../../user-store/served/served-users.js';
import { nodeUser } from './node-user.js';

const ALICE: ServedUser = {
  id: 7,
  email: '7.alice',
  proxySettings: newProxySettings((bytes) => Buffer.alloc(bytes, 1)),
  inboundTags: ['b', 'a<=>parent', 'b', 'a'],
  revision: 9n,
};

describe('nodeUser', () => {
  it('nodeUser replaces the tag of a fallback by that of the inbound behind it, and sends each tag once', () => {
    expect(nodeUser(ALICE)).toMatchObject({ email: '7.alice', inbounds: ['b', 'a'], revision: 9n });
  });

  it('nodeUser makes a removal of a user who is deleted or has no inbounds', () => {
    expect(nodeUser({ ...ALICE, proxySettings: null, inboundTags: [] })).toEqual({
      email: '7.alice',
      proxies: undefined,
      inbounds: [],
      revision: 9n,
    });
  });

  it.each([
    ['new', ALICE.proxySettings],
    ['damaged', storedProxySettings({ vmess: null, vless: { id: 7 }, shadowsocks: {} })],
    ['without any', storedProxySettings({})],
  ])('nodeUser has the same digest before and after the transport to the node: credentials %s', (_, proxySettings) => {
    const user = nodeUser({ ...ALICE, proxySettings });
    expect(userDigest(User.decode(User.encode(user).finish()))).toEqual(userDigest(user));
  });
});
