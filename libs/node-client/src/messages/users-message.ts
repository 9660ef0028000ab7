import { Backend, type User, Users, UsersChunk } from '../gen/service.js';
import { CHANGE_FIELD, EncodedUsers, START_FIELD } from './encoded-users.js';

/** A message whose users may be encoded already. */
export type WithUsers<Message extends { users: User[] }> = Omit<Message, 'users'> & {
  readonly users: readonly User[] | EncodedUsers;
};

/** Encodes a Backend message. It holds all users of a node, for which generated code takes twice the time. */
export function encodeBackend({ users, ...backend }: WithUsers<Backend>): Buffer {
  return joined(Backend.encode({ ...backend, users: [] }).finish(), START_FIELD, users);
}

/** Encodes a Users message, in the same way as `encodeBackend`. */
export function encodeUsers({ users, ...request }: WithUsers<Users>): Buffer {
  return joined(Users.encode({ ...request, users: [] }).finish(), CHANGE_FIELD, users);
}

/** Encodes a UsersChunk message, in the same way as `encodeBackend`. */
export function encodeUsersChunk({ users, ...chunk }: WithUsers<UsersChunk>): Buffer {
  return joined(UsersChunk.encode({ ...chunk, users: [] }).finish(), CHANGE_FIELD, users);
}

function joined(rest: Uint8Array, field: EncodedUsers['field'], users: readonly User[] | EncodedUsers): Buffer {
  const encoded = users instanceof EncodedUsers ? users : encodedFor(field, users);
  if (encoded.field !== field) throw new TypeError('the users were encoded for another call');
  return Buffer.concat([rest, ...encoded.bytes]);
}

function encodedFor(field: EncodedUsers['field'], users: readonly User[]): EncodedUsers {
  const encoded = field === START_FIELD ? EncodedUsers.forStart() : EncodedUsers.forChanges();
  for (const user of users) encoded.addComplete(user);
  return encoded;
}
