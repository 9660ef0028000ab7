import { type DeepPartial, User } from '@rampart/node-client';
import { type RawUser, scanUser } from '../wire/raw-user.js';

/** A user as it is received. */
export const rawUser = (user: DeepPartial<User>): RawUser => scanUser(User.encode(User.fromPartial(user)).finish());

export const rawUsers = (...users: DeepPartial<User>[]): RawUser[] => users.map(rawUser);
