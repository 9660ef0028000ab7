import { hash } from 'node:crypto';

/** Methods that a user can have. On an inbound with a 2022 method, the method of the inbound is used instead. */
export const SHADOWSOCKS_METHODS = [
  'chacha20-ietf-poly1305',
  'xchacha20-poly1305',
  'aes-128-gcm',
  'aes-256-gcm',
] as const;

/** A method that a user can have. */
export type ShadowsocksMethod = (typeof SHADOWSOCKS_METHODS)[number];

/** The method of users for whom none is chosen. */
export const DEFAULT_SHADOWSOCKS_METHOD: ShadowsocksMethod = 'chacha20-ietf-poly1305';

/** Whether a method belongs to Shadowsocks 2022 (SIP022), whose passwords are keys of a fixed length. */
export function isShadowsocks2022(method: string): boolean {
  return method.startsWith('2022-blake3-');
}

/**
 * The key of a user on a Shadowsocks 2022 inbound, in Base64. A password that already is a key of the right length is
 * returned unchanged; any other password becomes the first bytes of its SHA-256. Nodes and subscriptions use the same rule.
 */
export function shadowsocks2022Key(method: string, password: string): string {
  const length = method === '2022-blake3-aes-128-gcm' ? 16 : 32;
  if (isBase64Of(length, password)) return password;
  return Buffer.from(hash('sha256', password).slice(0, 2 * length), 'hex').toString('base64');
}

/** The length in bytes of the 2022 key that a password is itself; undefined for all other passwords. */
export function ownKeyLength(password: string): 16 | 32 | undefined {
  if (isBase64Of(16, password)) return 16;
  return isBase64Of(32, password) ? 32 : undefined;
}

/** The decoder of Node.js ignores invalid characters: only a text that encodes back to itself is valid Base64. */
function isBase64Of(length: number, text: string): boolean {
  if (text.length !== 4 * Math.ceil(length / 3)) return false;
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === length && decoded.toString('base64') === text;
}
