import { numberedUsernames, randomUsernames, templateUsername, usernameProblem } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { invalidFields } from '../errors/management-error.js';
import { randomPool } from '../keys/random-pool.js';
import { insertUsers, type UserBatch } from '../user-store/insert-users.js';
import type { UsersFromTemplate } from './from-template.dto.js';
import type { UsableTemplate } from './user-template.service.js';

/** Maximum number of draws for random names. There are 60 million, so more draws help only when nearly all are taken. */
const MAX_DRAWS = 20;

/**
 * Adds the template's prefix and suffix to base names. @throws ManagementError when a result is not a valid username
 */
export function finalNames(template: UsableTemplate, names: readonly string[]): string[] {
  const usernames = names.map((name) => templateUsername(template, name));
  const problem = usernames.map(usernameProblem).find((text) => text !== undefined);
  if (problem) throw invalidFields({ username: problem });
  return usernames;
}

/** Checks that the request has the members that its strategy needs. @throws ManagementError */
export function checkStrategy({ strategy, username, start_number }: UsersFromTemplate): void {
  if (strategy === 'sequence') {
    if (!username) throw invalidFields({ username: "username is required when strategy is 'sequence'" });
    return;
  }
  if (username) throw invalidFields({ username: "username must be null when strategy is 'random'" });
  if (start_number !== undefined && start_number !== null) {
    throw invalidFields({ start_number: "start_number must be null when strategy is 'random'" });
  }
}

/** The names of users from a template; of random ones those of the first draw. */
export function namesOf(
  template: UsableTemplate,
  { strategy, username, start_number, count }: UsersFromTemplate,
): string[] {
  const names =
    strategy === 'random'
      ? randomUsernames(count, randomPool())
      : numberedUsernames(username ?? '', start_number ?? 1, count);
  return finalNames(template, names);
}

/** Creates users from a template. In a sequence, names that are taken are left out. */
export function insertMany(
  manager: EntityManager,
  template: UsableTemplate,
  request: UsersFromTemplate,
  batch: UserBatch,
): Promise<{ id: number }[]> {
  if (request.strategy === 'random') return insertRandom(manager, template, request, batch);
  return insertUsers(manager, namesOf(template, request), batch);
}

/** Creates users with random names; a name that is taken is drawn again. */
async function insertRandom(
  manager: EntityManager,
  template: UsableTemplate,
  request: UsersFromTemplate,
  batch: UserBatch,
): Promise<{ id: number }[]> {
  const { count } = request;
  const created: { id: number }[] = [];
  for (let draw = 0; created.length < count && draw < MAX_DRAWS; draw++) {
    const names = namesOf(template, { ...request, count: count - created.length });
    created.push(...(await insertUsers(manager, names, batch)));
  }
  return created;
}
