import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalUuid, credentialKeys } from './credential-keys.js';
import { newProxySettings, type ProxySettings } from './proxy-settings.js';
import { shadowsocks2022Key } from './shadowsocks.js';

const settings = newProxySettings((bytes) => Buffer.alloc(bytes, 1));
const keysOf = (changes: Partial<Record<keyof ProxySettings, object>>) =>
  credentialKeys({
    ...settings,
    ...Object.fromEntries(
      Object.entries(changes).map(([name, change]) => [name, { ...settings[name as keyof ProxySettings], ...change }]),
    ),
  });

describe(credentialKeys.name, () => {
  it('ignores bytes 6 and 7 of a VLESS UUID, case and dashes, and nothing else', () => {
    const id = 'a1b2c3d4-e5f6-4789-8abc-def012345678';
    expect(keysOf({ vless: { id } }).vless).toBe('a1b2c3d4-e5f6-0000-8abc-def012345678');
    for (const same of [id.toUpperCase(), id.replaceAll('-', ''), 'a1b2c3d4-e5f6-ffff-8abc-def012345678'])
      expect(keysOf({ vless: { id: same } }).vless).toBe('a1b2c3d4-e5f6-0000-8abc-def012345678');
    expect(keysOf({ vmess: { id: id.toUpperCase() } }).vmess).toBe(id);
    expect(keysOf({ vmess: { id: 'a1b2c3d4-e5f6-ffff-8abc-def012345678' } }).vmess).not.toBe(id);
  });

  it('compares passwords as they are written', () => {
    expect(keysOf({ trojan: { password: 'Secret' } }).trojan).not.toBe(
      keysOf({ trojan: { password: 'secret' } }).trojan,
    );
    expect(keysOf({ trojan: { password: 'secret' } }).trojan).toBe('2bb80d53-7b1d-a3e3-8bd3-0361aa855686');
  });

  it('have one in common if the keys of two passwords are equal on a 2022 inbound, and only then', () => {
    const text = fc.string({ minLength: 1, maxLength: 60 });
    const keyOf = (of: string, length: number) =>
      Buffer.from(hash('sha256', of).slice(0, 2 * length), 'hex').toString('base64');
    const length = fc.constantFrom(16, 32);
    const password = fc.oneof(
      text,
      fc.tuple(text, length).map(([of, bytes]) => keyOf(of, bytes)),
    );
    // The other password is often what the first one becomes on an inbound.
    const pair = fc.oneof(
      fc.tuple(password, password),
      password.map((one) => [one, one]),
      fc.tuple(password, length).map(([one, bytes]) => [one, keyOf(one, bytes)]),
    );
    fc.assert(
      fc.property(pair, ([one = '', other = '']) => {
        const [first, second] = [one, other].map((given) =>
          Object.entries(keysOf({ shadowsocks: { password: given } })),
        );
        const common = first?.some(
          ([name, key], index) => name.startsWith('shadowsocks') && key !== null && key === second?.[index]?.[1],
        );
        const equal = (method: string) => shadowsocks2022Key(method, one) === shadowsocks2022Key(method, other);
        expect(common).toBe(equal('2022-blake3-aes-128-gcm') || equal('2022-blake3-aes-256-gcm'));
      }),
    );
  });

  it('has none for what no engine takes', () => {
    const none = { vless: { id: '' }, vmess: { id: 'x' }, trojan: { password: '' }, shadowsocks: { password: '' } };
    expect(keysOf(none)).toEqual({
      vless: null,
      vmess: null,
      trojan: null,
      shadowsocks: null,
      shadowsocksShort: null,
      shadowsocksLong: null,
    });
  });
});

describe(canonicalUuid.name, () => {
  it('reads a UUID in any case, with or without dashes', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect([id, id.toUpperCase(), id.replaceAll('-', '')].map(canonicalUuid)).toEqual([id, id, id]);
      }),
    );
    expect(canonicalUuid('a1b2c3d4-e5f6-4789-8abc-def01234567')).toBeUndefined();
  });

  it.each(['a1b2c3d4-e5f6-4789-8abc-def012345678', 'A1B2C3D4E5F647898ABCDEF012345678'])(
    'refuses %s with a letter before or behind it',
    (id) => {
      expect([`a${id}`, `${id}a`, `${id}\n`].map(canonicalUuid)).toEqual([undefined, undefined, undefined]);
    },
  );
});
