import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isShadowsocks2022, SHADOWSOCKS_METHODS, shadowsocks2022Key } from './shadowsocks.js';

const AES_128 = '2022-blake3-aes-128-gcm';
const AES_256 = '2022-blake3-aes-256-gcm';

describe(shadowsocks2022Key, () => {
  it('a Shadowsocks 2022 key is the hash of a password that is not a key', () => {
    const password = 'sspassword-0123456789abcdef';
    expect(shadowsocks2022Key(AES_128, password)).toBe('m3+t/xny8opupgAag8aEhA==');
    expect(shadowsocks2022Key(AES_256, password)).toBe('m3+t/xny8opupgAag8aEhMnjeAI124NF1pB0m3FIZzQ=');
  });

  it('a Shadowsocks 2022 key of the right length stays as it is', () => {
    expect(shadowsocks2022Key(AES_128, 'AAECAwQFBgcICQoLDA0ODw==')).toBe('AAECAwQFBgcICQoLDA0ODw==');
  });

  it('a key of another length or alphabet is hashed', () => {
    expect(shadowsocks2022Key(AES_256, 'AAECAwQFBgcICQoLDA0ODw==')).toBe(
      'MzuvnqDkNq3E46Aseo86eEnCXD6X/d3qzkHr7ct9fqg=',
    );
    // These are the same 16 bytes without padding, which strict decoders refuse.
    expect(shadowsocks2022Key(AES_128, 'AAECAwQFBgcICQoLDA0ODw')).toBe('XSYR1aTdK0Cyd9/bXs9bSQ==');
    // As long as a key, but 18 bytes, and 16 bytes with bits that strict decoders refuse.
    expect(shadowsocks2022Key(AES_128, 'AAECAwQFBgcICQoLDA0ODxAR')).toBe('fwY3lEeX1MmOF2UvtH5opQ==');
    expect(shadowsocks2022Key(AES_128, 'AAECAwQFBgcICQoLDA0ODx==')).toBe('hg24NBAXSKuusUY0Sx9XNw==');
  });

  it('a Shadowsocks 2022 key has the length of the method', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom<[string, number]>([AES_128, 16], [AES_256, 32]),
        (password, [method, length]) => {
          const key = shadowsocks2022Key(method, password);
          expect(Buffer.from(key, 'base64').toString('base64')).toBe(key);
          expect(Buffer.from(key, 'base64')).toHaveLength(length);
          expect(shadowsocks2022Key(method, key)).toBe(key);
        },
      ),
    );
  });
});

describe(isShadowsocks2022, () => {
  it('isShadowsocks2022 recognises the methods of the 2022 edition', () => {
    expect([AES_128, AES_256, '2022-blake3-chacha20-poly1305'].every(isShadowsocks2022)).toBe(true);
    expect(SHADOWSOCKS_METHODS.some(isShadowsocks2022)).toBe(false);
  });
});
