import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newProxySettings } from './proxy-settings.js';

describe(newProxySettings, () => {
  it('newProxySettings encodes random bytes as credentials', () => {
    let next = 0;
    const settings = newProxySettings((bytes) => Uint8Array.from({ length: bytes }, () => next++ % 256));
    expect(settings).toEqual({
      vmess: { id: '00010203-0405-4607-8809-0a0b0c0d0e0f' },
      vless: { id: '10111213-1415-4617-9819-1a1b1c1d1e1f', flow: '' },
      trojan: { password: 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3' },
      shadowsocks: { password: 'ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU5P', method: 'chacha20-ietf-poly1305' },
    });
  });

  it('newProxySettings takes the given flow and method', () => {
    const given = { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' } as const;
    expect(newProxySettings((bytes) => Buffer.alloc(bytes), given)).toMatchObject({
      vless: { flow: given.flow },
      shadowsocks: { method: given.method },
    });
  });

  it('newProxySettings makes version 4 UUIDs and passwords of 32 characters from any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 80, maxLength: 80 }), (seed) => {
        const { vmess, vless, trojan } = newProxySettings((bytes) => seed.slice(0, bytes));
        const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
        expect(vmess.id).toMatch(uuid);
        expect(vless.id).toMatch(uuid);
        expect(trojan.password).toMatch(/^[A-Za-z0-9_-]{32}$/);
      }),
    );
  });
});
