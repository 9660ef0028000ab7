import { canonicalUuid, shadowsocks2022Key, vlessIdentity } from '@rampart/domain';
import type { Proxy as Credentials } from '@rampart/node-client';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { cipherOf } from './cipher.js';

export const VISION = 'xtls-rprx-vision';

/** The account of a user on one inbound. */
export type Account =
  | { readonly protocol: 'vless'; readonly id: string; readonly flow: string }
  | { readonly protocol: 'vmess'; readonly id: string }
  | { readonly protocol: 'trojan'; readonly password: string }
  | { readonly protocol: 'shadowsocks'; readonly password: string; readonly method: string }
  | { readonly protocol: 'shadowsocks-2022'; readonly key: string }
  | { readonly protocol: 'hysteria'; readonly auth: string };

/**
 * A credential that the engine would refuse, or that would break it. The message tells the reason, never the
 * credential.
 */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/**
 * The user's account on an inbound; undefined when the user has no credential for its protocol. An empty credential
 * counts as none, because some callers send one for each protocol. @throws AccountError
 */
export function accountOn(inbound: ManagedInbound, credentials: Credentials): Account | undefined {
  switch (inbound.protocol) {
    case 'vless': {
      const { vless } = credentials;
      if (!vless || (vless.id === '' && vless.flow === '')) return undefined;
      return { protocol: 'vless', id: uuidOf('vless', vless.id), flow: flowOn(inbound, vless.flow) };
    }
    case 'vmess': {
      const { vmess } = credentials;
      return vmess?.id ? { protocol: 'vmess', id: uuidOf('vmess', vmess.id) } : undefined;
    }
    case 'trojan': {
      const { trojan } = credentials;
      return trojan?.password ? { protocol: 'trojan', password: trojan.password } : undefined;
    }
    case 'hysteria': {
      const { hysteria } = credentials;
      return hysteria?.auth ? { protocol: 'hysteria', auth: hysteria.auth } : undefined;
    }
    case 'shadowsocks': {
      const shadowsocks = shadowsocksOf(credentials);
      if (shadowsocks === undefined) return undefined;
      return { protocol: 'shadowsocks', password: shadowsocks.password, method: cipherName(shadowsocks.method) };
    }
    case 'shadowsocks-2022': {
      const shadowsocks = shadowsocksOf(credentials);
      if (shadowsocks === undefined) return undefined;
      return { protocol: 'shadowsocks-2022', key: shadowsocks2022Key(inbound.method, shadowsocks.password) };
    }
  }
}

function shadowsocksOf({ shadowsocks }: Credentials): Credentials['shadowsocks'] {
  if (!shadowsocks || (shadowsocks.password === '' && shadowsocks.method === '')) return undefined;
  if (shadowsocks.password === '') failAccount('shadowsocks password is empty');
  return shadowsocks;
}

/** The part of an account that must be unique on an inbound, since the engine tells users apart by it. */
export function identityOf(account: Account): string {
  switch (account.protocol) {
    case 'vless':
      return vlessIdentity(account.id);
    case 'vmess':
      return account.id;
    case 'trojan':
    case 'shadowsocks':
      return account.password;
    case 'shadowsocks-2022':
      return account.key;
    case 'hysteria':
      return account.auth;
  }
}

const SECRETS: Record<Account['protocol'], string> = {
  vless: 'vless id (bytes 6 and 7 do not count)',
  vmess: 'vmess id',
  trojan: 'trojan password',
  shadowsocks: 'shadowsocks password',
  'shadowsocks-2022': 'shadowsocks password',
  hysteria: 'hysteria auth',
};

/** The name of what `identityOf` compares, for messages. */
export function secretName(protocol: Account['protocol']): string {
  return SECRETS[protocol];
}

function flowOn(inbound: Extract<ManagedInbound, { protocol: 'vless' }>, flow: string): string {
  if (flow !== '' && flow !== VISION)
    failAccount(`vless flow ${JSON.stringify(flow)} is unknown; use "" or "${VISION}"`);
  if (!inbound.vision) return '';
  return flow || inbound.flow;
}

function uuidOf(protocol: string, id: string): string {
  return canonicalUuid(id) ?? failAccount(`${protocol} id is not a UUID`);
}

function cipherName(method: string): string {
  const problem = `shadowsocks method ${JSON.stringify(method)} is unknown or without a key; use an AEAD method such as "chacha20-ietf-poly1305"`;
  return cipherOf(method)?.name ?? failAccount(problem);
}

function failAccount(problem: string): never {
  throw new AccountError(problem);
}
