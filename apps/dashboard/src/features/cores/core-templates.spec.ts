import { describe, expect, it } from '@jest/globals';
import { configOf } from './core-templates';

describe('a new core with Shadowsocks', () => {
  it('security row 131: has a method of 2022, a key of its own, and no UDP', () => {
    const [one, other] = ['one', 'other'].map((name) => configOf('shadowsocks', name));
    const password = expect.stringMatching(/^[A-Za-z\d+/]{22}==$/);
    const settings = { clients: [], method: '2022-blake3-aes-128-gcm', password, network: 'tcp' };
    expect(one).toMatchObject({
      inbounds: [{ tag: 'one Shadowsocks', port: 8388, protocol: 'shadowsocks', settings }],
    });
    expect(other).not.toMatchObject({ inbounds: [{ settings: Object(one)['inbounds'][0].settings }] });
  });
});
