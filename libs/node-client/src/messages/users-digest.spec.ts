import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DeepPartial, User } from '../gen/service.js';
import { UsersDigest, userDigest } from './users-digest.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const digest = (user: DeepPartial<User>) => userDigest(User.fromPartial(user));
const sum = (...users: DeepPartial<User>[]) => {
  const digests = new UsersDigest();
  for (const user of users) digests.addDigest(digest(user));
  return digests.value;
};

const ANN = {
  email: '1.ann',
  proxies: {
    vmess: { id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' },
    vless: { id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee', flow: 'xtls-rprx-vision' },
    trojan: { password: 'trojan "password"' },
    shadowsocks: { password: 'pässword', method: 'aes-256-gcm' },
    wireguard: { publicKey: 'key', peerIps: ['10.0.0.1/32'] },
    hysteria: { auth: 'auth' },
  },
  inbounds: ['b', 'a'],
};

describe(userDigest.name, () => {
  it('the digest has a fixed value', () => {
    expect(hex(digest({}))).toBe('73bd69c71d2190684eeffb3f91a8247b');
    expect(hex(digest(ANN))).toBe('4b366ba7b8608b2f6fa31a95d0f06042');
  });

  it('ignores the order and repetition of tags, the revision, and empty credentials', () => {
    const nothing = { vmess: {}, vless: {}, trojan: {}, shadowsocks: {}, wireguard: {}, hysteria: {} };
    expect(digest({ ...ANN, inbounds: ['a', 'b', 'a'], revision: 7n })).toEqual(digest(ANN));
    expect(digest({ email: 'a', proxies: nothing })).toEqual(digest({ email: 'a' }));
  });

  it.each<[string, DeepPartial<User>]>([
    ['email', { email: '1.Ann' }],
    ['one tag less', { inbounds: ['a'] }],
    ['tags', { inbounds: ['a,b'] }],
    ['vmess id', { proxies: { ...ANN.proxies, vmess: { id: 'x' } } }],
    ['vless id', { proxies: { ...ANN.proxies, vless: { ...ANN.proxies.vless, id: 'x' } } }],
    ['vless flow', { proxies: { ...ANN.proxies, vless: { ...ANN.proxies.vless, flow: '' } } }],
    ['trojan password', { proxies: { ...ANN.proxies, trojan: { password: 'x' } } }],
    [
      'shadowsocks password',
      { proxies: { ...ANN.proxies, shadowsocks: { ...ANN.proxies.shadowsocks, password: 'x' } } },
    ],
    ['shadowsocks method', { proxies: { ...ANN.proxies, shadowsocks: { ...ANN.proxies.shadowsocks, method: '' } } }],
    ['wireguard key', { proxies: { ...ANN.proxies, wireguard: { ...ANN.proxies.wireguard, publicKey: 'x' } } }],
    ['wireguard addresses', { proxies: { ...ANN.proxies, wireguard: { ...ANN.proxies.wireguard, peerIps: [] } } }],
    ['hysteria auth', { proxies: { ...ANN.proxies, hysteria: undefined } }],
  ])('differs for another %s', (_what, other) => {
    expect(digest({ ...ANN, ...other })).not.toEqual(digest(ANN));
  });
});

describe(UsersDigest.name, () => {
  it('is a sum modulo 2^128, little-endian', () => {
    const digests = new UsersDigest();
    expect(hex(digests.value)).toBe('00000000000000000000000000000000');
    digests.addDigest(Buffer.from('ffffffffffffffffffffffffffffffff', 'hex'));
    digests.addDigest(Buffer.from('02000000000000000000000000000000', 'hex'));
    expect(hex(digests.value)).toBe('01000000000000000000000000000000');
    digests.addDigest(Buffer.from('ffffffff000000000000000000000000', 'hex'));
    expect(hex(digests.value)).toBe('00000000010000000000000000000000');
    digests.removeDigest(Buffer.from('01000000010000000000000000000000', 'hex'));
    expect(hex(digests.value)).toBe('ffffffffffffffffffffffffffffffff');
  });

  it('the digest has a fixed value', () => {
    expect(hex(sum(ANN, { email: '2.bob' }))).toBe('869e9a03072482056958eb562fad1a63');
  });

  it('does not depend on the order of changes', () => {
    const names = fc.uniqueArray(fc.string(), { maxLength: 10 });
    fc.assert(
      fc.property(names, names, fc.func(fc.nat()), (stay, leave, order) => {
        const users = (emails: readonly string[]) => emails.map((email) => ({ email }));
        const digests = new UsersDigest();
        const all = [...stay, ...leave].sort((a, b) => order(a) - order(b));
        for (const user of users(all)) digests.addDigest(digest(user));
        const copy = digests.copy();
        for (const user of users(leave)) copy.removeDigest(digest(user));
        expect(copy.value).toEqual(sum(...users(stay)));
        expect(digests.value).toEqual(sum(...users(all)));
      }),
    );
  });
});
