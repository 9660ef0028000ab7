import type { Json, UserName } from '../cells/cell.js';

/** Credentials of each user. Management generates those that are not given. */
export const USERS: Readonly<Record<UserName, Json>> = {
  nobody: {},
  plain: {
    vless: { flow: '' },
    trojan: { password: 'trojan pass:/?#@+' },
    shadowsocks: { method: 'aes-256-gcm', password: 'shadowsocks pass:/?#@+' },
  },
  drawing: { vless: { flow: '' } },
  vision: { vless: { flow: 'xtls-rprx-vision' } },
  numbers: {
    trojan: { password: '0123456789012345678901' },
    shadowsocks: { method: 'aes-256-gcm', password: '0x1234567890123456789012' },
  },
  'aes-128-gcm': { shadowsocks: { method: 'aes-128-gcm' } },
  'chacha20-ietf-poly1305': { shadowsocks: { method: 'chacha20-ietf-poly1305' } },
  'xchacha20-poly1305': { shadowsocks: { method: 'xchacha20-poly1305' } },
};
