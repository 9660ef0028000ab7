import { hash } from 'node:crypto';
import type { ProxySettings } from './proxy-settings.js';
import { ownKeyLength } from './shadowsocks.js';

/**
 * By what engines tell users apart, as UUIDs: two users with the same key of one kind are one user for an engine. Null for
 * a credential that no engine takes.
 */
export interface CredentialKeys {
  readonly vless: string | null;
  readonly vmess: string | null;
  readonly trojan: string | null;
  /** The key on inbounds with 2022 methods, or its beginning: equal passwords have equal keys. */
  readonly shadowsocks: string | null;
  /** Only for a password that is itself a key: what it becomes on inbounds with keys of 16 bytes. */
  readonly shadowsocksShort: string | null;
  /** Only for a password that is itself a key: what it becomes on inbounds with keys of 32 bytes. */
  readonly shadowsocksLong: string | null;
}

/** The keys of a user's credentials. */
export function credentialKeys({ vless, vmess, trojan, shadowsocks }: ProxySettings): CredentialKeys {
  const vlessId = canonicalUuid(vless.id);
  return {
    vless: vlessId === undefined ? null : vlessIdentity(vlessId),
    vmess: canonicalUuid(vmess.id) ?? null,
    trojan: trojan.password === '' ? null : digestKey(trojan.password),
    ...shadowsocksKeys(shadowsocks.password),
  };
}

/**
 * A password that is itself a key can be the digest of another password, and then is the same credential. The first key finds
 * that of an ordinary password; the other two are needed only where both are keys, one of 16 bytes and one of 32.
 */
function shadowsocksKeys(
  password: string,
): Pick<CredentialKeys, 'shadowsocks' | 'shadowsocksShort' | 'shadowsocksLong'> {
  const none = { shadowsocksShort: null, shadowsocksLong: null };
  if (password === '') return { shadowsocks: null, ...none };
  const length = ownKeyLength(password);
  if (length === undefined) return { shadowsocks: digestKey(password), ...none };
  const own = uuidOf(Buffer.from(password, 'base64').toString('hex'));
  const digest = digestKey(password);
  return {
    shadowsocks: own,
    shadowsocksShort: length === 16 ? own : digest,
    shadowsocksLong: length === 32 ? own : digest,
  };
}

const digestKey = (password: string): string => uuidOf(hash('sha256', password));

/** What an engine compares of a VLESS UUID in canonical form: it uses bytes 6 and 7 for routing. */
export function vlessIdentity(id: string): string {
  return `${id.slice(0, 14)}0000${id.slice(18)}`;
}

const CANONICAL_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ANY_UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** A UUID in canonical form; undefined for other text. Dashes may be missing. */
export function canonicalUuid(text: string): string | undefined {
  return CANONICAL_UUID.test(text) ? text : ANY_UUID.exec(text.toLowerCase())?.slice(1).join('-');
}

/** The first 16 of some bytes in hexadecimal digits, as a UUID. */
const uuidOf = (digits: string): string =>
  `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20, 32)}`;
