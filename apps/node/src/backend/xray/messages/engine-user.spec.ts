import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Account as Hysteria } from '../gen/hysteria.js';
import { Account as Shadowsocks } from '../gen/shadowsocks.js';
import { Account as Shadowsocks2022 } from '../gen/shadowsocks_2022.js';
import { Account as Trojan } from '../gen/trojan.js';
import { User } from '../gen/user.js';
import { Account as Vless } from '../gen/vless.js';
import { Account as Vmess } from '../gen/vmess.js';
import type { Account } from '../users/account.js';
import { cipherOf } from '../users/cipher.js';
import { encodeEngineUser } from './engine-user.js';

const word = fc.string({ unit: 'grapheme', maxLength: 200 });
const method = fc.constantFrom('aes-128-gcm', 'aes-256-gcm', 'chacha20-ietf-poly1305', 'xchacha20-ietf-poly1305');
const accounts: fc.Arbitrary<Account> = fc.oneof(
  fc.record({ id: word, flow: word }).map((account) => ({ protocol: 'vless' as const, ...account })),
  fc.record({ id: word }).map((account) => ({ protocol: 'vmess' as const, ...account })),
  fc.record({ password: word }).map((account) => ({ protocol: 'trojan' as const, ...account })),
  fc.record({ password: word, method }).map((account) => ({ protocol: 'shadowsocks' as const, ...account })),
  fc.record({ key: word }).map((account) => ({ protocol: 'shadowsocks-2022' as const, ...account })),
  fc.record({ auth: word }).map((account) => ({ protocol: 'hysteria' as const, ...account })),
);

/** The account message of each protocol, made by generated code. */
function generated(account: Account): [type: string, value: Uint8Array] {
  switch (account.protocol) {
    case 'vless':
      return ['xray.proxy.vless.Account', Vless.encode(account).finish()];
    case 'vmess':
      return ['xray.proxy.vmess.Account', Vmess.encode(account).finish()];
    case 'trojan':
      return ['xray.proxy.trojan.Account', Trojan.encode(account).finish()];
    case 'hysteria':
      return ['xray.proxy.hysteria.account.Account', Hysteria.encode(account).finish()];
    case 'shadowsocks-2022':
      return ['xray.proxy.shadowsocks_2022.Account', Shadowsocks2022.encode(account).finish()];
    case 'shadowsocks': {
      const { password, method } = account;
      const message = Shadowsocks.create({ password, cipherType: cipherOf(method)?.type });
      return ['xray.proxy.shadowsocks.Account', Shadowsocks.encode(message).finish()];
    }
  }
}

describe(encodeEngineUser.name, () => {
  it('an encoded user equals that of generated code, byte for byte', () => {
    fc.assert(
      fc.property(word, accounts, (email, account) => {
        const [type, value] = generated(account);
        const expected = User.encode({ level: 0, email, account: { type, value: Buffer.from(value) } }).finish();
        expect(Buffer.from(encodeEngineUser(email, account), 'latin1')).toEqual(Buffer.from(expected));
      }),
      { numRuns: 500 },
    );
  });
});
