import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Backend, BackendType, User, Users, UsersChunk } from '../gen/service.js';
import { EncodedUsers } from './encoded-users.js';
import { encodeBackend, encodeUsers, encodeUsersChunk } from './users-message.js';

const word = fc.string({ unit: 'grapheme', maxLength: 200 });
const perhaps = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const revision = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const users: fc.Arbitrary<User[]> = fc.array(
  fc.record({
    ...{ email: word, inbounds: fc.array(word), revision },
    proxies: perhaps(
      fc.record({
        vmess: perhaps(fc.record({ id: word })),
        vless: perhaps(fc.record({ id: word, flow: word })),
        trojan: perhaps(fc.record({ password: word })),
        shadowsocks: perhaps(fc.record({ password: word, method: word })),
        wireguard: perhaps(fc.record({ publicKey: word, peerIps: fc.array(word) })),
        hysteria: perhaps(fc.record({ auth: word })),
      }),
    ),
  }),
);

describe('messages with users', () => {
  it('decode like those of generated code', () => {
    fc.assert(
      fc.property(users, word, revision, (list, config, number) => {
        const request = { users: list, revision: number };
        expect(Users.decode(encodeUsers(request))).toEqual(Users.decode(Users.encode(request).finish()));
        const chunk = { users: list, index: number, last: list.length > 1, revision: number };
        expect(UsersChunk.decode(encodeUsersChunk(chunk))).toEqual(
          UsersChunk.decode(UsersChunk.encode(chunk).finish()),
        );
        const backend: Backend = {
          ...{ type: BackendType.XRAY, config, users: list, keepAlive: number },
          ...{ excludeInbounds: [config], revision: number, privateNetworks: undefined },
        };
        expect(Backend.decode(encodeBackend(backend))).toEqual(Backend.decode(Backend.encode(backend).finish()));
        for (const user of list) {
          const [only] = Users.decode(encodeUsers({ users: [user], revision: 0n })).users;
          expect(only && User.encode(only).finish()).toEqual(User.encode(user).finish());
        }
      }),
    );
  });

  it('users that were encoded once are the same in every message, and decode to what they were', () => {
    fc.assert(
      fc.property(users, revision, (list, number) => {
        const [forStart, forChanges] = [EncodedUsers.forStart(), EncodedUsers.forChanges()];
        for (const user of list) for (const encoded of [forStart, forChanges]) encoded.add(user);
        const backend = { ...Backend.fromPartial({ revision: number }), users: list };
        const chunk = { users: list, index: 0n, last: true, revision: number };
        // Twice, because the same users go to many nodes.
        for (const _ of [1, 2]) {
          expect(encodeBackend({ ...backend, users: forStart })).toEqual(encodeBackend(backend));
          expect(encodeUsersChunk({ ...chunk, users: forChanges })).toEqual(encodeUsersChunk(chunk));
        }
        const decoded = Users.decode(encodeUsers({ users: list, revision: 0n })).users;
        expect([[...forStart], [...forChanges]]).toEqual([decoded, decoded]);
        expect(forChanges.emails).toEqual(list.map(({ email }) => email));
      }),
    );
  });

  it('users that were encoded for another message are refused', () => {
    const backend = Backend.fromPartial({});
    expect(() => encodeBackend({ ...backend, users: EncodedUsers.forChanges() })).toThrow(
      'the users were encoded for another call',
    );
  });

  it('large messages with users are built from pieces without a loss', () => {
    const many = Array.from({ length: 5000 }, (_, index) =>
      User.fromPartial({ email: `${index}.user`, inbounds: ['a'] }),
    );
    expect(encodeUsers({ users: many, revision: 0n })).toEqual(
      Buffer.from(Users.encode({ users: many, revision: 0n }).finish()),
    );
  });
});
