import { Account as HysteriaAccount } from '../gen/hysteria.js';
import { TypedMessage } from '../gen/message.js';
import { AddUserOperation, RemoveUserOperation } from '../gen/proxyman.js';
import { Account as ShadowsocksAccount } from '../gen/shadowsocks.js';
import { Account as Shadowsocks2022Account } from '../gen/shadowsocks_2022.js';
import { Account as TrojanAccount } from '../gen/trojan.js';
import { User } from '../gen/user.js';
import { Account as VlessAccount } from '../gen/vless.js';
import { Account as VmessAccount } from '../gen/vmess.js';
import type { Account } from '../users/account.js';
import { cipherOf } from '../users/cipher.js';

/** A user as the engine has it on one inbound. */
export function engineUser(email: string, account: Account): User {
  return { email, level: 0, account: typedAccount(account) };
}

export function addUserOperation(email: string, account: Account): TypedMessage {
  const operation = AddUserOperation.encode({ user: engineUser(email, account) });
  return typed('xray.app.proxyman.command.AddUserOperation', operation.finish());
}

export function removeUserOperation(email: string): TypedMessage {
  return typed('xray.app.proxyman.command.RemoveUserOperation', RemoveUserOperation.encode({ email }).finish());
}

/** The account message of exactly the inbound's protocol: any other would end the engine. */
function typedAccount(account: Account): TypedMessage {
  switch (account.protocol) {
    case 'vless':
      return typed('xray.proxy.vless.Account', VlessAccount.encode(account).finish());
    case 'vmess':
      return typed('xray.proxy.vmess.Account', VmessAccount.encode(account).finish());
    case 'trojan':
      return typed('xray.proxy.trojan.Account', TrojanAccount.encode(account).finish());
    case 'hysteria':
      return typed('xray.proxy.hysteria.account.Account', HysteriaAccount.encode(account).finish());
    case 'shadowsocks-2022':
      return typed('xray.proxy.shadowsocks_2022.Account', Shadowsocks2022Account.encode(account).finish());
    case 'shadowsocks': {
      const message = ShadowsocksAccount.create({
        password: account.password,
        cipherType: cipherOf(account.method)?.type,
      });
      return typed('xray.proxy.shadowsocks.Account', ShadowsocksAccount.encode(message).finish());
    }
  }
}

function typed(type: string, value: Uint8Array): TypedMessage {
  return { type, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength) };
}
