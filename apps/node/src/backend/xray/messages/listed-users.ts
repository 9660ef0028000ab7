import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ManagedInbound } from '../config/managed-inbound.js';
import type { Account } from '../users/account.js';
import { cipherOfType } from '../users/cipher.js';
import type { InboundMember } from '../users/user-directory.js';

/** Field numbers of the answer, of a user, of a typed message, and of an account. */
const USERS_FIELD = 1;
const EMAIL_FIELD = 2;
const ACCOUNT_FIELD = 3;
const VALUE_FIELD = 2;
const SECRET_FIELD = 1;
const SECOND_FIELD = 2;

/**
 * Decodes the users of an inbound that the engine lists, one by one: generated code would hold all of them at once.
 * @throws RangeError when the answer is cut off
 */
export function* decodeListedUsers(answer: Uint8Array, { protocol }: ManagedInbound): Generator<InboundMember> {
  for (const user of messagesIn(answer, USERS_FIELD)) {
    const email = Buffer.from(fieldOf(user, EMAIL_FIELD)).toString();
    yield { email, account: decodeAccount(protocol, fieldOf(fieldOf(user, ACCOUNT_FIELD), VALUE_FIELD)) };
  }
}

function decodeAccount(protocol: Account['protocol'], account: Uint8Array): Account {
  const secret = Buffer.from(fieldOf(account, SECRET_FIELD)).toString();
  switch (protocol) {
    case 'vless':
      return { protocol, id: secret, flow: Buffer.from(fieldOf(account, SECOND_FIELD)).toString() };
    case 'vmess':
      return { protocol, id: secret };
    case 'trojan':
      return { protocol, password: secret };
    case 'shadowsocks':
      return { protocol, password: secret, method: cipherOfType(numberOf(account, SECOND_FIELD))?.name ?? '' };
    case 'shadowsocks-2022':
      return { protocol, key: secret };
    case 'hysteria':
      return { protocol, auth: secret };
  }
}

function* messagesIn(bytes: Uint8Array, field: number): Generator<Uint8Array> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field && wireType === WireType.LengthDelimited) yield reader.bytes();
    else reader.skip(wireType, number);
  }
}

function fieldOf(message: Uint8Array, field: number): Uint8Array {
  for (const bytes of messagesIn(message, field)) return bytes;
  return new Uint8Array();
}

function numberOf(message: Uint8Array, field: number): number {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field && wireType === WireType.Varint) return reader.uint32();
    reader.skip(wireType, number);
  }
  return 0;
}
