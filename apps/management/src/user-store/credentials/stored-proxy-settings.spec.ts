import { describe, expect, it } from '@jest/globals';
import { newProxySettings } from '@rampart/domain';
import fc from 'fast-check';
import { storedProxySettings } from './stored-proxy-settings.js';

const whole = newProxySettings((bytes) => Buffer.alloc(bytes, 1));
const empty = {
  vmess: { id: '' },
  vless: { id: '', flow: '' },
  trojan: { password: '' },
  shadowsocks: { password: '', method: 'chacha20-ietf-poly1305' },
};

describe(storedProxySettings.name, () => {
  it('keeps valid credentials', () => {
    expect(storedProxySettings(whole)).toEqual(whole);
  });

  it('empties only damaged credentials', () => {
    const { vless, trojan } = whole;
    expect(storedProxySettings({ vmess: 'x', vless, trojan, shadowsocks: { password: 5, method: 'none' } })).toEqual({
      ...empty,
      vless,
      trojan,
    });
  });

  it('accepts any stored value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (stored) => {
        const { vmess, shadowsocks } = storedProxySettings(stored);
        expect([typeof vmess.id, typeof shadowsocks.password]).toEqual(['string', 'string']);
      }),
    );
  });
});
