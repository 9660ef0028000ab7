// A client with the types of the API. `openapi-typescript http://…/api/openapi.json -o schema.ts` generates the types.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type User = components['schemas']['UserView'];

/** Logs in and creates a group with one user. */
async function firstUser(baseUrl: string, username: string, password: string): Promise<User> {
  const login = await createClient<paths>({ baseUrl }).POST('/api/admin/token', { body: { username, password } });
  if (!login.data) throw new Error(`The login failed: ${login.error.code}`);
  const headers = { authorization: `${login.data.token_type} ${login.data.access_token}` };
  const api = createClient<paths>({ baseUrl, headers });

  const inbounds = await api.GET('/api/inbounds');
  const group = await api.POST('/api/group', { body: { name: 'first', inbound_tags: inbounds.data ?? [] } });
  if (!group.data) throw new Error(`No group: ${group.error.code}`);
  const user = await api.POST('/api/user', {
    body: { username: 'alice', group_ids: [group.data.id], data_limit: 2 ** 30, data_limit_reset_strategy: 'month' },
  });
  if (!user.data) throw new Error(`No user: ${JSON.stringify(user.error.detail)}`);

  const found = await api.GET('/api/users', { params: { query: { group: [group.data.id], status: ['active'] } } });
  const [first] = found.data?.users ?? [];
  if (first?.id !== user.data.id) throw new Error('The list does not have the user');

  // @ts-expect-error the types list the reset strategies
  void ((): User['data_limit_reset_strategy'] => 'century');
  // @ts-expect-error the types require the tags of a group
  void (() => api.POST('/api/group', { body: { name: 'second' } }));
  // A list without `fields` has complete users.
  return first as User;
}

const [, , url = '', username = '', password = ''] = process.argv;
console.log(JSON.stringify(await firstUser(url, username, password)));
