import { describe, expect, it } from '@jest/globals';
import { lengthDelimitedField } from '@rampart/node-client';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { encodeEngineUser } from '../messages/engine-user.js';
import type { Account } from '../users/account.js';
import type { InboundMember } from '../users/user-directory.js';
import { differenceOf } from './user-difference.js';

const ID = '11111111-1111-4111-8111-111111111111';
const answer = (members: readonly InboundMember[]) =>
  Buffer.from(
    members.map(({ email, account }) => lengthDelimitedField(1, encodeEngineUser(email, account))).join(''),
    'latin1',
  );

describe(differenceOf.name, () => {
  const protocols: [ManagedInbound, Account, Account][] = [
    [
      { tag: 'in', handover: 'shared', protocol: 'vless', vision: true, flow: '' },
      { protocol: 'vless', id: ID, flow: 'xtls-rprx-vision' },
      { protocol: 'vless', id: ID, flow: '' },
    ],
    [
      { tag: 'in', handover: 'shared', protocol: 'vmess' },
      { protocol: 'vmess', id: ID },
      { protocol: 'vmess', id: ID.replaceAll('1', '2') },
    ],
    [
      { tag: 'in', handover: 'shared', protocol: 'trojan' },
      { protocol: 'trojan', password: 'пароль' },
      { protocol: 'trojan', password: '' },
    ],
    [
      { tag: 'in', handover: 'shared', protocol: 'shadowsocks' },
      { protocol: 'shadowsocks', password: 'p', method: 'aes-128-gcm' },
      { protocol: 'shadowsocks', password: 'p', method: 'chacha20-ietf-poly1305' },
    ],
    [
      { tag: 'in', handover: 'shared', protocol: 'shadowsocks-2022', method: '2022-blake3-aes-128-gcm' },
      { protocol: 'shadowsocks-2022', key: 'a2V5' },
      { protocol: 'shadowsocks-2022', key: 'a2V6' },
    ],
    [
      { tag: 'in', handover: 'restart', protocol: 'hysteria' },
      { protocol: 'hysteria', auth: 'a' },
      { protocol: 'hysteria', auth: 'b' },
    ],
  ];

  it.each(protocols)(
    'finds users of $protocol who are missing, have changed or are not wanted',
    async (inbound, account, other) => {
      const listed = answer([
        { email: '1.same', account },
        { email: '2.changed', account: other },
        { email: '3.gone', account },
        { email: '~rampart-guard-1', account },
      ]);
      const wanted = ['1.same', '2.changed', '4.new'].map((email) => ({ email, account }));
      expect(await differenceOf(inbound, listed, wanted)).toEqual({
        users: 4,
        guards: 1,
        removals: [
          { email: '2.changed', inbound, account: other },
          { email: '3.gone', inbound, account },
        ],
        additions: [
          { email: '2.changed', inbound, account },
          { email: '4.new', inbound, account },
        ],
      });
    },
  );
});
