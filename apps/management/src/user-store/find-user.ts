import { usernameProblem } from '@rampart/domain';
import type { EntityManager, FindOneOptions } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { ManagementError } from '../errors/management-error.js';
import { User } from './entities/user.entity.js';

/** The user of this name, for an admin who may see it. */
export async function findUser(
  manager: EntityManager,
  actor: Actor,
  username: string,
  options: FindOneOptions<User> = {},
): Promise<User> {
  // A path can hold what no column can: such a name is nobody's.
  const known = usernameProblem(username) === undefined;
  const user = known && (await manager.findOne(User, { ...options, where: { username } }));
  if (!user) throw new ManagementError('USER_NOT_FOUND');
  if (!actor.isSudo && user.adminId !== actor.id) throw new ManagementError('FORBIDDEN');
  return user;
}

/** The same, and nobody else changes it before the transaction ends: no traffic is booked in between. */
export function lockUser(manager: EntityManager, actor: Actor, username: string): Promise<User> {
  return findUser(manager, actor, username, { lock: { mode: 'for_no_key_update' } });
}
