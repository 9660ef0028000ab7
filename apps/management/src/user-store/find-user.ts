import { usernameProblem } from '@rampart/domain';
import type { EntityManager, FindOneOptions } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { ManagementError } from '../errors/management-error.js';
import { User } from './entities/user.entity.js';

/** Finds a user by name. @throws ManagementError when there is none, or when the admin may not see it */
export async function findUser(
  manager: EntityManager,
  actor: Actor,
  username: string,
  options: FindOneOptions<User> = {},
): Promise<User> {
  // A path can contain a name that no column accepts; no user has such a name.
  const known = usernameProblem(username) === undefined;
  const user = known && (await manager.findOne(User, { ...options, where: { username } }));
  if (!user) throw new ManagementError('USER_NOT_FOUND');
  if (!actor.isSudo && user.adminId !== actor.id) throw new ManagementError('FORBIDDEN');
  return user;
}

/** Finds a user and locks the row until the transaction ends; no traffic is recorded in between. */
export function lockUser(manager: EntityManager, actor: Actor, username: string): Promise<User> {
  return findUser(manager, actor, username, { lock: { mode: 'for_no_key_update' } });
}
