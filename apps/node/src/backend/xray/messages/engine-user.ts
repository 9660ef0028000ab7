import { bytesField, lengthDelimitedField, stringField, varintField } from '@rampart/node-client';
import type { Account } from '../users/account.js';
import { cipherOf } from '../users/cipher.js';

/** The account message of each protocol. The engine crashes when it gets the message of another protocol. */
const ACCOUNT_TYPES: Record<Account['protocol'], string> = {
  vless: 'xray.proxy.vless.Account',
  vmess: 'xray.proxy.vmess.Account',
  trojan: 'xray.proxy.trojan.Account',
  shadowsocks: 'xray.proxy.shadowsocks.Account',
  'shadowsocks-2022': 'xray.proxy.shadowsocks_2022.Account',
  hysteria: 'xray.proxy.hysteria.account.Account',
};

/**
 * Encodes a user of one inbound as text with one character for each byte. Generated code would take several times as
 * long, and a start encodes every user once for each inbound.
 */
export function encodeEngineUser(email: string, account: Account): string {
  const typed = stringField(1, ACCOUNT_TYPES[account.protocol]) + bytesField(2, encodeAccount(account));
  return stringField(2, email) + lengthDelimitedField(3, typed);
}

function encodeAccount(account: Account): string {
  switch (account.protocol) {
    case 'vless':
      return stringField(1, account.id) + stringField(2, account.flow);
    case 'vmess':
      return stringField(1, account.id);
    case 'trojan':
      return stringField(1, account.password);
    case 'shadowsocks':
      return stringField(1, account.password) + varintField(2, cipherOf(account.method)?.type ?? 0);
    case 'shadowsocks-2022':
      return stringField(1, account.key);
    case 'hysteria':
      return stringField(1, account.auth);
  }
}
