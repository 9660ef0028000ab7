import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from '@jest/globals';
import { Backend, Proxy as Credentials, type DeepPartial, User, Users, UsersChunk } from '@rampart/node-client';
import fc from 'fast-check';
import { decodeBackend, decodeUsers, decodeUsersChunk } from './raw-messages.js';
import { decodeUser, type RawUser, scanUser, withRevision } from './raw-user.js';
import { parseUserText, userToText } from './user-text.js';

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('ä漢\u{1f600}'));
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const revision = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
const user: fc.Arbitrary<DeepPartial<User>> = fc.record({
  email: text,
  proxies: optional(
    fc.record({
      vmess: optional(fc.record({ id: text })),
      vless: optional(fc.record({ id: text, flow: text })),
      trojan: optional(fc.record({ password: text })),
      shadowsocks: optional(fc.record({ password: text, method: text })),
      wireguard: optional(fc.record({ publicKey: text, peerIps: fc.array(text, { maxLength: 3 }) })),
      hysteria: optional(fc.record({ auth: text })),
    }),
  ),
  inbounds: fc.array(text, { maxLength: 4 }),
  revision,
});
const users = fc.array(user, { maxLength: 4 });

/** Unknown fields, and known ones with another wire type, all of which must be skipped. */
const FOREIGN = ['f801 05', '1801', '0d 01020304', '11 0102030405060708', '7b 08017a0161 7c', 'c23e 03 616263'].map(
  (hex) => Buffer.from(hex.replaceAll(' ', ''), 'hex'),
);
const foreign = fc.array(fc.constantFrom(...FOREIGN), { maxLength: 3 });

const BACKEND = { type: Backend, decode: decodeBackend };
const USERS = { type: Users, decode: decodeUsers };
const CHUNK = { type: UsersChunk, decode: decodeUsersChunk };
const message = fc.oneof(
  fc
    .record({ config: text, users, keepAlive: revision, excludeInbounds: fc.array(text, { maxLength: 2 }), revision })
    .map((value) => ({ kind: BACKEND, bytes: Backend.encode(Backend.fromPartial(value)).finish() })),
  fc
    .record({ users, revision })
    .map((value) => ({ kind: USERS, bytes: Users.encode(Users.fromPartial(value)).finish() })),
  fc
    .record({ users, index: revision, last: fc.boolean(), revision })
    .map((value) => ({ kind: CHUNK, bytes: UsersChunk.encode(UsersChunk.fromPartial(value)).finish() })),
);

/** The message with decoded users; undefined when it is refused. */
function decoded(decode: (bytes: Uint8Array) => { users: RawUser[] }, bytes: Uint8Array): unknown {
  let raw: ReturnType<typeof decode>;
  try {
    raw = decode(bytes);
  } catch {
    return undefined;
  }
  return {
    ...raw,
    users: raw.users.map((one) => {
      const whole = decodeUser(one);
      expect([one.email, one.revision, one.present]).toEqual([whole.email, whole.revision, whole.inbounds.length > 0]);
      const read = parseUserText(userToText(one));
      expect({ ...plain(read), revision: whole.revision }).toEqual(whole);
      return whole;
    }),
  };
}

/** A user with all credentials decoded. */
function plain({ email, inbounds, proxies }: ReturnType<typeof parseUserText>) {
  if (proxies === undefined) return { email, inbounds, proxies };
  const { vmess, vless, trojan, shadowsocks, wireguard, hysteria } = proxies;
  return { email, inbounds, proxies: { vmess, vless, trojan, shadowsocks, wireguard, hysteria } };
}

const field = (tag: number, bytes: Uint8Array) => new BinaryWriter().uint32(tag).bytes(bytes).finish();

/** A user with fields that stand twice, and with foreign ones, on both of its levels. */
const odd = fc.tuple(user, user, foreign, foreign).map(([first, second, outer, inner]) => {
  const bytesOf = (part: DeepPartial<User>) => User.encode(User.fromPartial(part)).finish();
  const proxies = Buffer.concat([
    ...inner,
    Credentials.encode(Credentials.fromPartial(second.proxies ?? {})).finish(),
    ...inner,
  ]);
  return Buffer.concat([...outer, bytesOf(first), ...outer, field(18, proxies), bytesOf(second), ...outer]);
});

describe('messages whose users are not decoded', () => {
  it('raw messages equal what the generated decoder reads', () => {
    fc.assert(
      fc.property(message, foreign, ({ kind, bytes }, fields) => {
        const all = Buffer.concat([...fields, bytes, ...fields]);
        expect(decoded(kind.decode, all)).toEqual(kind.type.decode(all));
      }),
      { numRuns: 300 },
    );
  });

  it('raw messages with repeated, reordered and unknown fields equal what the generated decoder reads', () => {
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 3 }), foreign, (slices, fields) => {
        const all = Buffer.concat(slices.flatMap((slice) => [...fields, field(10, slice)]));
        expect(decoded(decodeUsers, all)).toEqual(Users.decode(all));
      }),
      { numRuns: 300 },
    );
  });

  it('mutated raw messages are refused, or equal what the generated decoder reads', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), gone: fc.nat({ max: 2 }) });
    let taken = 0;
    let refused = 0;
    fc.assert(
      fc.property(message, fc.array(change, { minLength: 1, maxLength: 4 }), ({ kind, bytes }, changes) => {
        const mutated = [...bytes];
        for (const { at, byte, gone } of changes) mutated.splice(at % (mutated.length + 1), gone, byte);
        const result = decoded(kind.decode, Uint8Array.from(mutated));
        if (result === undefined) refused += 1;
        else taken += 1;
        if (result !== undefined) expect(result).toEqual(kind.type.decode(Uint8Array.from(mutated)));
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(taken, refused)).toBeGreaterThan(100);
  });

  it.each([
    ['premature EOF', '0a'],
    ['premature EOF', '0a05 0a0161'],
    ['premature EOF', '0a03 0a0261'],
    // The generated decoder reads on behind the end of a user, or of a credential.
    ['premature EOF', '0a03 0a0261 0a00'],
    ['premature EOF', '0a06 1204 1202 0a05 6162636465'],
    ['premature EOF', '0a02 a006 01'],
    ['illegal tag: field no 0', '0a02 0000'],
    ['illegal tag: field no 0', '0a06 1204 1202 0000'],
    ['cant skip wire type 4', '0a01 0c'],
    ['cant skip wire type 4', '0c'],
    ['cant skip wire type 7', '0a01 0f'],
    ['invalid varint', '0a0c a006 ffffffffffffffffffff'],
    ['invalid end group tag', '7b 84 01'],
  ])('raw messages are refused with "%s": %s', (reason, hex) => {
    expect(() => decodeUsers(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toThrow(reason);
  });
});

describe('a message with too many repeated fields', () => {
  it.each([
    ['Backend', decodeBackend, '1a00'],
    ['Backend', decodeBackend, '2a00'],
    ['Users', decodeUsers, '0a00'],
    ['UsersChunk', decodeUsersChunk, '0a00'],
  ])('a %s message with too many users or other fields is refused before they fill the memory', (_, decode, hex) => {
    const bytes = Buffer.alloc(64 * 1024 * 1024, hex, 'hex');
    expect(() => decode(bytes)).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE', message: 'more than 500000 users in one message' }),
    );
    expect(decode(bytes.subarray(0, 2000)).users.length).toBe(hex === '2a00' ? 0 : 1000);
  });
});

describe(scanUser.name, () => {
  it('reads e-mail, revision and presence', () => {
    const bytes = User.encode(User.fromPartial({ email: '1.ann', inbounds: ['in'], revision: 7n })).finish();
    expect(scanUser(bytes)).toEqual({ email: '1.ann', revision: 7n, present: true, bytes });
    expect(scanUser(new Uint8Array())).toEqual({ email: '', revision: 0n, present: false, bytes: new Uint8Array() });
  });

  it('withRevision gives a user another revision', () => {
    const ann = scanUser(User.encode(User.fromPartial({ email: '1.ann', inbounds: ['in'], revision: 7n })).finish());
    expect(withRevision(ann, 7n)).toBe(ann);
    expect(scanUser(withRevision(ann, 9n).bytes)).toEqual(withRevision(ann, 9n));
    expect(withRevision(ann, 9n)).toMatchObject({ email: '1.ann', revision: 9n, present: true });
  });
});
