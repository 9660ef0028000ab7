import { describe, expect, it } from '@jest/globals';
import { newProxySettings } from '@rampart/domain';
import { User, userDigest } from '@rampart/node-client';
import { storedProxySettings } from '../../user-store/credentials/stored-proxy-settings.js';
import type { ServedUser } from '../../user-store/served/served-users.js';
import { CoreView } from './core-view.js';

const SETTINGS = newProxySettings((bytes) => Buffer.alloc(bytes, 1));
const ALICE: ServedUser = {
  id: 7,
  email: '7.alice',
  proxySettings: SETTINGS,
  inboundTags: ['b', 'a<=>parent', 'b', 'elsewhere', 'a'],
  revision: 9n,
};
const NONE = {
  vmess: undefined,
  vless: undefined,
  trojan: undefined,
  shadowsocks: undefined,
  wireguard: undefined,
  hysteria: undefined,
};
const VIEW = new CoreView(
  new Map([
    ['a', 'vless'],
    ['b', 'trojan'],
    ['c', 'shadowsocks'],
  ]),
);
const REMOVAL = { email: '7.alice', proxies: undefined, inbounds: [], revision: 9n };

describe(CoreView.name, () => {
  it('security row 36: gives a node the tags of its own inbounds, each once, and the credentials of their protocols', () => {
    expect(VIEW.nodeUser(ALICE)).toEqual({
      email: '7.alice',
      proxies: { ...NONE, vless: SETTINGS.vless, trojan: SETTINGS.trojan },
      inbounds: ['b', 'a'],
      revision: 9n,
    });
  });

  it('security row 36: makes a removal without credentials of a user who has none of the inbounds, or is deleted', () => {
    const users = [
      { ...ALICE, inboundTags: [] },
      { ...ALICE, inboundTags: ['elsewhere', 'd<=>a'] },
    ];
    for (const user of [...users, { ...ALICE, proxySettings: null, inboundTags: [] }]) {
      expect([VIEW.serves(user), VIEW.nodeUser(user)]).toEqual([false, REMOVAL]);
    }
    expect(VIEW.serves(ALICE)).toBe(true);
  });

  it('has one key for the same inbounds in any order, and another one for other protocols', () => {
    const same = new CoreView(
      new Map([
        ['c', 'shadowsocks'],
        ['b', 'trojan'],
        ['a', 'vless'],
      ]),
    );
    const other = new CoreView(
      new Map([
        ['a', 'vless'],
        ['b', 'trojan'],
        ['c', 'trojan'],
      ]),
    );
    expect(same.key).toBe(VIEW.key);
    expect(other.key).not.toBe(VIEW.key);
  });

  it.each([
    ['new', SETTINGS],
    ['damaged', storedProxySettings({ vmess: null, vless: { id: 7 }, shadowsocks: {} })],
    ['without any', storedProxySettings({})],
  ])('gives a user the same digest before and after the transport to the node: credentials %s', (_, settings) => {
    const user = VIEW.nodeUser({ ...ALICE, proxySettings: settings });
    expect(userDigest(User.decode(User.encode(user).finish()))).toEqual(userDigest(user));
  });
});
