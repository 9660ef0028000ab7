import type { JsonObject } from '../config/json-tree.js';
import type { Account } from './account.js';

/** A user as it stands in an inbound's `clients`. */
export function clientJson(email: string, account: Account): JsonObject {
  switch (account.protocol) {
    case 'vless':
      return { email, id: account.id, flow: account.flow };
    case 'vmess':
      return { email, id: account.id };
    case 'trojan':
      return { email, password: account.password };
    case 'shadowsocks':
      return { email, password: account.password, method: account.method };
    case 'shadowsocks-2022':
      return { email, password: account.key };
    case 'hysteria':
      return { email, auth: account.auth };
  }
}
