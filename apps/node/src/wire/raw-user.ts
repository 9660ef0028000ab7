import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { User } from '@rampart/node-client';
import { fieldTag, readFieldEnd, skipField } from './wire-fields.js';

/** A user message of which only e-mail, revision and presence are decoded. */
export interface RawUser {
  readonly email: string;
  /** 0 means that the message has no revision. */
  readonly revision: bigint;
  /** Whether the user has inbounds; a user without any is to be removed. */
  readonly present: boolean;
  /** The whole, validated User message; often a view of a large buffer. */
  readonly bytes: Uint8Array;
}

const EMAIL_TAG = fieldTag(1, WireType.LengthDelimited);
const PROXIES_TAG = fieldTag(2, WireType.LengthDelimited);
const INBOUND_TAG = fieldTag(3, WireType.LengthDelimited);
const REVISION_TAG = fieldTag(100, WireType.Varint);
/** The highest field number of `Proxy`, which has a message for each protocol. */
const LAST_CREDENTIAL_FIELD = 6;

/**
 * Scans a User message without decoding its credentials.
 * @throws Error when the bytes are not a valid message; `decodeUser` accepts all bytes that pass this scan
 */
export function scanUser(bytes: Uint8Array): RawUser {
  return scanUserUntil(bytes, new BinaryReader(bytes), bytes.length);
}

/** Scans the User message from the reader's position to `end`. */
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

/** Gives the message of a user another revision. */
export function withRevision(user: RawUser, revision: bigint): RawUser {
  if (user.revision === revision) return user;
  // In protobuf the last occurrence of a field counts.
  const field = new BinaryWriter().uint32(REVISION_TAG).uint64(revision).finish();
  return { ...user, revision, bytes: Buffer.concat([user.bytes, field]) };
}

/** A message that removes a user. */
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
