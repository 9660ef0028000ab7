import { hash } from 'node:crypto';

/** Methods that a user can have. On an inbound with a 2022 method the inbound's own method counts instead. */
export const SHADOWSOCKS_METHODS = [
  'chacha20-ietf-poly1305',
  'xchacha20-poly1305',
  'aes-128-gcm',
  'aes-256-gcm',
] as const;

export type ShadowsocksMethod = (typeof SHADOWSOCKS_METHODS)[number];

export const DEFAULT_SHADOWSOCKS_METHOD: ShadowsocksMethod = 'chacha20-ietf-poly1305';

/** Whether a method belongs to the Shadowsocks 2022 edition, whose passwords are keys of a fixed length. */
export function isShadowsocks2022(method: string): boolean {
  return method.startsWith('2022-blake3-');
}

/**
 * A user's key on a Shadowsocks-2022 inbound, as base64. A password that already is a key of the method's length stays
 * as it is; any other becomes the first bytes of its SHA-256. Nodes and client generators must agree on this.
 */
export function shadowsocks2022Key(method: string, password: string): string {
  const length = method === '2022-blake3-aes-128-gcm' ? 16 : 32;
  if (isBase64Of(length, password)) return password;
  return Buffer.from(hash('sha256', password).slice(0, 2 * length), 'hex').toString('base64');
}

/** Node's decoder takes anything; only what encodes back to the same text was base64 of these bytes. */
function isBase64Of(length: number, text: string): boolean {
  if (text.length !== 4 * Math.ceil(length / 3)) return false;
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === length && decoded.toString('base64') === text;
}
