import type { TestManagement } from '../test-management.js';
import { admin, makeTemplate } from './access.js';
import { type Mutation, type MutationRequest, type Mutations, make, newName, SECRETS } from './mutation.js';

let users = 0;

/** No two users may have the same credentials. */
function user() {
  users += 1;
  const id = `${SECRETS.startOfIds}${String(users).padStart(12, '0')}`;
  const password = `${SECRETS.password} ${users}`;
  return {
    username: newName(),
    note: newName(),
    proxy_settings: { vmess: { id }, vless: { id }, trojan: { password }, shadowsocks: { password } },
  };
}

const makeUser = (management: TestManagement) => make(management, '/api/user', user());

/** A change of an existing user. */
const ofUser = (
  action: string,
  requestOf: (
    username: string,
    management: TestManagement,
  ) => Promise<Omit<MutationRequest, 'target'>> | Omit<MutationRequest, 'target'>,
): Mutation => ({
  action: `user.${action}`,
  prepare: async (management) => {
    const { username } = await makeUser(management);
    return { ...(await requestOf(username, management)), target: `user/${username}` };
  },
});

/** A change of many users. */
const ofUsers = (action: string, url: string, body?: object): Mutation => ({
  action: `user.${action}`,
  prepare: async (management) => {
    await makeUser(management);
    return { url, ...(body && { body }), target: 'users' };
  },
});

const byTemplate = (pathOf: (username: string) => string): Mutation =>
  ofUser('modify', async (username, management) => {
    const { id } = await makeTemplate(management);
    return { url: pathOf(username), body: { user_template_id: id, note: newName() } };
  });

export const USER_MUTATIONS: Mutations = {
  'POST /api/user': {
    action: 'user.create',
    prepare: () => ({ url: '/api/user', body: user(), target: ({ username }) => `user/${username}` }),
  },
  'PUT /api/user/:username': ofUser('modify', (username) => {
    const proxy_settings = { trojan: { password: `${SECRETS.password}, new for ${username}` } };
    return { url: `/api/user/${username}`, body: { note: newName(), proxy_settings } };
  }),
  'DELETE /api/user/:username': ofUser('delete', (username) => ({ url: `/api/user/${username}` })),
  'POST /api/user/:username/reset': ofUser('reset', (username) => ({ url: `/api/user/${username}/reset` })),
  'POST /api/user/:username/revoke_sub': ofUser('revoke', (username) => ({
    url: `/api/user/${username}/revoke_sub`,
  })),
  'POST /api/user/:username/active_next': ofUser('activate_next_plan', async (username, management) => {
    await management.call('PUT', `/api/user/${username}`, { next_plan: { data_limit: 1, expire: 60 } });
    return { url: `/api/user/${username}/active_next` };
  }),
  'PUT /api/user/:username/set_owner': ofUser('set_owner', async (username, management) => {
    const owner = await make(management, '/api/admin', admin());
    return { url: `/api/user/${username}/set_owner?admin_username=${owner.username}` };
  }),
  'POST /api/user/from_template': {
    action: 'user.create',
    prepare: async (management) => {
      const { id } = await makeTemplate(management);
      const body = { user_template_id: id, username: newName(), note: newName() };
      return { url: '/api/user/from_template', body, target: ({ username }) => `user/${username}` };
    },
  },
  'PUT /api/user/:username/from_template': byTemplate((username) => `/api/user/${username}/from_template`),
  'PUT /api/user/from_template/:username': byTemplate((username) => `/api/user/from_template/${username}`),
  'POST /api/users/bulk/from_template': {
    action: 'user.bulk_create',
    prepare: async (management) => {
      const { id } = await makeTemplate(management);
      const body = { user_template_id: id, count: 2, strategy: 'random' };
      return { url: '/api/users/bulk/from_template', body, target: 'users' };
    },
  },
  'POST /api/users/bulk/expire': ofUsers('bulk_expire', '/api/users/bulk/expire', { amount: 60 }),
  'POST /api/users/bulk/data_limit': ofUsers('bulk_data_limit', '/api/users/bulk/data_limit', { amount: 1 }),
  'POST /api/users/bulk/proxy_settings': ofUsers('bulk_proxy_settings', '/api/users/bulk/proxy_settings', { flow: '' }),
  'POST /api/users/reset': ofUsers('bulk_reset', '/api/users/reset'),
  'DELETE /api/users/expired': {
    action: 'user.bulk_delete_expired',
    prepare: async (management) => {
      await make(management, '/api/user', { ...user(), expire: 1 });
      return { url: '/api/users/expired', target: 'users' };
    },
  },
};
