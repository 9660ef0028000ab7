import { api, dataOf } from './client';
import type { User, UserQuery } from './types';

/** Users of a window of the list, each with these members only, and the number of all users whom the query finds. */
export async function listUsers<Field extends keyof User>(
  fields: readonly Field[],
  query: Omit<UserQuery, 'fields'>,
  signal?: AbortSignal,
): Promise<{ users: Pick<User, Field>[]; total: number }> {
  const { users, total } = await dataOf(
    api.GET('/api/users', { params: { query: { ...query, fields: [...fields] } }, ...(signal && { signal }) }),
  );
  return { users: users as Pick<User, Field>[], total };
}
