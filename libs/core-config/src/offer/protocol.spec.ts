import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, reality, vless } from '../testing/core.js';
import { refusal } from '../testing/refusal.js';
import type { OfferedInbound } from './offered-inbound.js';

const inbound = (change: Json): OfferedInbound | undefined => parseCoreConfig(core(vless(change))).inbounds[0];

const KEY_128 = 'AAECAwQFBgcICQoLDA0ODw==';
const shadowsocks = (settings: Json) => ({ protocol: 'shadowsocks', settings });

describe(vless.name, () => {
  it('a VLESS inbound has a flow and an encryption', () => {
    const settings = { decryption: 'mlkem.d', encryption: 'mlkem.e', flow: 'xtls-rprx-vision' };
    expect(inbound({ settings })).toMatchObject({ flow: 'xtls-rprx-vision', encryption: 'mlkem.e', vision: true });
  });

  it('a VLESS inbound has `vision` set where the flow can work', () => {
    expect(inbound({ streamSettings: reality() })).toMatchObject({ vision: true });
    expect(inbound({ streamSettings: { ...reality(), network: 'xhttp' } })).toMatchObject({ vision: false });
  });

  it.each([{ decryption: 'mlkem.d' }, { decryption: 'mlkem.d', encryption: 'none' }])(
    'refuses %j without encryption',
    (settings) => {
      expect(refusal(core(vless({ settings })))).toEqual({
        message: `'encryption' key must be provided in in inbound`,
        path: 'inbounds[0].settings.encryption',
      });
    },
  );

  it('refuses an unknown flow', () => {
    expect(refusal(core(vless({ settings: { flow: 'xtls-rprx-direct' } })))).toEqual({
      message: 'flow of in must be empty or xtls-rprx-vision',
      path: 'inbounds[0].settings.flow',
    });
  });
});

describe('shadowsocks', () => {
  it.each([
    ['2022-blake3-aes-128-gcm', KEY_128, true, KEY_128],
    ['2022-blake3-aes-256-gcm', `${'A'.repeat(43)}=`, true, `${'A'.repeat(43)}=`],
    // The engine accepts keys that are longer than the method needs.
    ['2022-blake3-aes-128-gcm', `${'A'.repeat(43)}=`, true, `${'A'.repeat(43)}=`],
    ['chacha20-ietf-poly1305', 'not a key', false, ''],
    [undefined, undefined, false, ''],
  ])('accepts method %s', (method, password, is2022, key) => {
    expect(inbound(shadowsocks({ method, password }))).toMatchObject({
      protocol: 'shadowsocks',
      method: method ?? '',
      is2022,
      password: key,
      udp: false,
    });
  });

  it.each([
    ['tcp,udp', true],
    [['UDP'], true],
    ['tcp', false],
    [undefined, false],
  ])('security row 131: whether Shadowsocks takes UDP is known of network %j', (network, udp) => {
    expect(inbound(shadowsocks({ network }))).toMatchObject({ udp });
  });

  it.each(['2022-blake3-chacha20-poly1305', '2022-blake3-aes-512-gcm'])('refuses method %s', (method) => {
    expect(refusal(core(vless(shadowsocks({ method, password: KEY_128 }))))).toEqual({
      message: 'only 2022-blake3-aes-*-gcm methods are supported (inbound in)',
      path: 'inbounds[0].settings.method',
    });
  });

  it.each(['none', 'plain', 'rc4-md5'])('refuses method %s', (method) => {
    expect(refusal(core(vless(shadowsocks({ method }))))).toEqual({
      message:
        'Shadowsocks method of in is not supported: known are 2022-blake3-aes-128-gcm, 2022-blake3-aes-256-gcm, ' +
        'aes-128-gcm, aes-256-gcm, chacha20-poly1305, chacha20-ietf-poly1305, xchacha20-poly1305, ' +
        'xchacha20-ietf-poly1305',
      path: 'inbounds[0].settings.method',
    });
  });

  it.each([undefined, '', 'no base64!', 'AAECAwQFBgcICQoLDA0ODw', '-_ECAwQFBgcICQoLDA0ODw=='])(
    'refuses the server key %j without repeating it',
    (password) => {
      expect(refusal(core(vless(shadowsocks({ method: '2022-blake3-aes-128-gcm', password }))))).toEqual({
        message: 'Shadowsocks password must be a valid base64 string (inbound in)',
        path: 'inbounds[0].settings.password',
      });
    },
  );

  it('refuses a server key that is too short', () => {
    expect(refusal(core(vless(shadowsocks({ method: '2022-blake3-aes-256-gcm', password: KEY_128 }))))).toEqual({
      message: 'Shadowsocks password of in is too short: 2022-blake3-aes-256-gcm needs 32 bytes in base64',
      path: 'inbounds[0].settings.password',
    });
  });
});
