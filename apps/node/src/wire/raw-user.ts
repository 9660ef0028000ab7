import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { User } from '@rampart/node-client';
import { fieldTag, readFieldEnd, skipField } from './wire-fields.js';

/** A user as its bytes in a message: what order and identity need is read, all else stays as it came. */
export interface RawUser {
  readonly email: string;
  /** 0 = none. */
  readonly revision: bigint;
  /** Whether the user has inbounds; without any it is to be removed. */
  readonly present: boolean;
  /** The whole User message, proven to be one; often a part of a large buffer. */
  readonly bytes: Uint8Array;
}

const EMAIL_TAG = fieldTag(1, WireType.LengthDelimited);
const PROXIES_TAG = fieldTag(2, WireType.LengthDelimited);
const INBOUND_TAG = fieldTag(3, WireType.LengthDelimited);
const REVISION_TAG = fieldTag(100, WireType.Varint);
/** The messages in `Proxy`, one for each protocol. */
const LAST_CREDENTIAL_FIELD = 6;

/** Reads a User message. @throws when the bytes are not one: what this accepts, `decodeUser` does too. */
export function scanUser(bytes: Uint8Array): RawUser {
  return scanUserUntil(bytes, new BinaryReader(bytes), bytes.length);
}

/** Reads the User message from the place of the bytes' reader to an end. */
export function scanUserUntil(bytes: Uint8Array, reader: BinaryReader, end: number): RawUser {
  const start = reader.pos;
  let email = '';
  let revision = 0n;
  let present = false;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === EMAIL_TAG) email = reader.string();
    else if (tag === PROXIES_TAG) checkProxies(reader, readFieldEnd(reader, end));
    else if (tag === REVISION_TAG) revision = BigInt(reader.uint64());
    else {
      present ||= tag === INBOUND_TAG;
      skipField(reader, tag, end);
    }
  }
  if (reader.pos > end) throw new RangeError('premature EOF');
  return { email, revision, present, bytes: bytes.subarray(start, end) };
}

/** The same user, of another revision. */
export function withRevision(user: RawUser, revision: bigint): RawUser {
  if (user.revision === revision) return user;
  // The last one of a field counts.
  const field = new BinaryWriter().uint32(REVISION_TAG).uint64(revision).finish();
  return { ...user, revision, bytes: Buffer.concat([user.bytes, field]) };
}

/** Says that a user is to go, and nothing else of them. */
export function removalMessage(email: string, revision: bigint): RawUser {
  const bytes = User.encode(User.fromPartial({ email, revision })).finish();
  return { email, revision, present: false, bytes };
}

export function decodeUser({ bytes }: Pick<RawUser, 'bytes'>): User {
  return User.decode(bytes);
}

function checkProxies(reader: BinaryReader, end: number): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if ((tag & 7) === WireType.LengthDelimited && tag >>> 3 >= 1 && tag >>> 3 <= LAST_CREDENTIAL_FIELD) {
      checkFields(reader, readFieldEnd(reader, end));
    } else skipField(reader, tag, end);
  }
}

function checkFields(reader: BinaryReader, end: number): void {
  while (reader.pos < end) skipField(reader, reader.uint32(), end);
}
