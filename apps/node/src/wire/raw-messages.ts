import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { Backend, Users, UsersChunk } from '@rampart/node-client';
import { NodeError } from '../errors/node-error.js';
import { type RawUser, scanUserUntil } from './raw-user.js';
import { fieldTag, readFieldEnd, skipField } from './wire-fields.js';

/**
 * Maximum number of users in one message: five times the number that a node is designed for. A user may take two bytes
 * in a message but takes 200 bytes in memory.
 */
export const MAX_USERS = 500_000;

/** Field number of the users in a Backend message. */
export const BACKEND_USERS_FIELD = 3;

/** A message whose users are not decoded. */
type WithRawUsers<Message> = Omit<Message, 'users'> & { readonly users: RawUser[] };

export type RawBackend = WithRawUsers<Backend>;
export type RawUsers = WithRawUsers<Users>;
export type RawUsersChunk = WithRawUsers<UsersChunk>;

/** @throws Error when the bytes, or those of any user in them, are not a valid message */
export function decodeBackend(bytes: Uint8Array): RawBackend {
  const { users, rest } = splitUsers(bytes, fieldTag(BACKEND_USERS_FIELD, WireType.LengthDelimited));
  return { ...Backend.decode(rest), users };
}

/** @throws Error like `decodeBackend` */
export function decodeUsers(bytes: Uint8Array): RawUsers {
  const { users, rest } = splitUsers(bytes, fieldTag(1, WireType.LengthDelimited));
  return { ...Users.decode(rest), users };
}

/** @throws Error like `decodeBackend` */
export function decodeUsersChunk(bytes: Uint8Array): RawUsersChunk {
  const { users, rest } = splitUsers(bytes, fieldTag(1, WireType.LengthDelimited));
  return { ...UsersChunk.decode(rest), users };
}

/** Separates the users of a message from its other fields. @throws NodeError TOO_LARGE */
function splitUsers(bytes: Uint8Array, usersTag: number): { users: RawUser[]; rest: Uint8Array } {
  const reader = new BinaryReader(bytes);
  const users: RawUser[] = [];
  const rest: Uint8Array[] = [];
  let restBegins = 0;
  for (let fields = 0; reader.pos < bytes.length; fields += 1) {
    if (fields === MAX_USERS) throw tooManyUsersError();
    const begins = reader.pos;
    const tag = reader.uint32();
    if (tag !== usersTag) {
      skipField(reader, tag, bytes.length);
      continue;
    }
    if (begins > restBegins) rest.push(bytes.subarray(restBegins, begins));
    users.push(scanUserUntil(bytes, reader, readFieldEnd(reader, bytes.length)));
    restBegins = reader.pos;
  }
  rest.push(bytes.subarray(restBegins));
  return { users, rest: Buffer.concat(rest) };
}

export function tooManyUsersError(): NodeError {
  return new NodeError('TOO_LARGE', `more than ${MAX_USERS} users in one message`);
}
