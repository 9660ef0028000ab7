import { describe, expect, it } from '@jest/globals';
import { quickStartCore, SHADOWSOCKS_TAG, VLESS_TAG } from './core.js';

describe('the core of the quick start', () => {
  it('security row 131: takes no UDP on Shadowsocks, whose method is one of 2022', () => {
    const settings = { dataDir: '/data', host: '127.0.0.1', port: 8000, nodePort: 1, vlessPort: 2, shadowsocksPort: 3 };
    expect(quickStartCore(settings)).toMatchObject({
      inbounds: [
        { tag: VLESS_TAG, protocol: 'vless' },
        { tag: SHADOWSOCKS_TAG, settings: { method: '2022-blake3-aes-128-gcm', network: 'tcp' } },
      ],
    });
  });
});
