import { SUDO, type TestManagement } from '../test-management.js';
import { type Made, type Mutation, type MutationRequest, type Mutations, make, newName, SECRETS } from './mutation.js';

const TAG = 'Shadowsocks TCP';

const group = () => ({ name: newName(), inbound_tags: [TAG] });
export const admin = () => ({ username: newName(), password: SECRETS.password, is_sudo: false, note: newName() });
const apiToken = () => ({ name: newName(), scope: 'read', expires_at: new Date(Date.now() + 1_800_000).toISOString() });
const template = (group_ids: number[]) => ({ name: newName(), group_ids, extra_settings: { flow: 'none' } });

export const makeGroup = (management: TestManagement) => make(management, '/api/group', group());

export async function makeTemplate(management: TestManagement): Promise<Made> {
  const { id } = await makeGroup(management);
  return make(management, '/api/user_template', template([id]));
}

/** A change of an existing admin. */
const ofAdmin = (action: string, requestOf: (username: string) => Omit<MutationRequest, 'target'>): Mutation => ({
  action: `admin.${action}`,
  prepare: async (management) => {
    const { username } = await make(management, '/api/admin', admin());
    return { ...requestOf(username), target: `admin/${username}` };
  },
});

const groupBulk = (verb: string): Mutation => ({
  action: `group.bulk_${verb}`,
  prepare: async (management) => {
    const { id } = await makeGroup(management);
    return { url: `/api/groups/bulk/${verb}`, body: { group_ids: [id] }, target: 'users' };
  },
});

const deletionOfToken = (path: string): Mutation => ({
  action: 'api_token.delete',
  prepare: async (management) => {
    const { id } = await make(management, '/api/admin/tokens', apiToken());
    return { url: `${path}/${id}`, target: `api_token/${id}` };
  },
});

const FROM_OWN_PAGE = { 'x-rampart-dashboard': '1' };

/** Logs in an admin in a browser, and returns a request that the browser sends. */
async function ofBrowser(management: TestManagement, url: (id: number) => string): Promise<MutationRequest> {
  const { id: adminId, username } = await make(management, '/api/admin', admin());
  const body = { username, password: SECRETS.password };
  const { headers, body: session } = await management.request('POST', '/api/admin/session', body, '', FROM_OWN_PAGE);
  const { id } = Object(session);
  return {
    url: url(id),
    target: `session/${id}`,
    by: { id: adminId, username, token: '' },
    headers: { ...FROM_OWN_PAGE, cookie: String(headers['set-cookie']).split(';')[0] as string },
  };
}

/** Changes of admins, groups and templates. */
export const ACCESS_MUTATIONS: Mutations = {
  'POST /api/admin': {
    action: 'admin.create',
    prepare: () => ({ url: '/api/admin', body: admin(), target: ({ username }) => `admin/${username}` }),
  },
  'POST /api/admin/token': {
    action: 'admin.login',
    prepare: () => ({ url: '/api/admin/token', body: SUDO, target: 'admin/root' }),
  },
  'POST /api/admin/session': {
    action: 'admin.login',
    prepare: () => ({ url: '/api/admin/session', body: SUDO, target: 'admin/root', headers: FROM_OWN_PAGE }),
  },
  'POST /api/admin/step-up': {
    action: 'admin.step_up',
    prepare: async (management) => {
      const { id, username } = await make(management, '/api/admin', admin());
      const token = await management.login(username, SECRETS.password);
      const body = { password: SECRETS.password };
      return { url: '/api/admin/step-up', body, target: `admin/${username}`, by: { id, username, token } };
    },
  },
  'DELETE /api/admin/sessions': {
    action: 'session.end_all',
    prepare: async (management) => {
      const { username } = await make(management, '/api/admin', admin());
      await management.login(username, SECRETS.password);
      return { url: `/api/admin/sessions?admin=${username}`, target: `admin/${username}` };
    },
  },
  'DELETE /api/admin/passwords-without-code': {
    action: 'admin.read_warnings',
    prepare: () => ({ url: '/api/admin/passwords-without-code', target: 'admin/root' }),
  },
  'DELETE /api/admin/session': {
    action: 'session.end',
    prepare: (management) => ofBrowser(management, () => '/api/admin/session'),
  },
  'DELETE /api/session/:session_id': {
    action: 'session.end',
    prepare: async (management) => {
      const { url, target } = await ofBrowser(management, (id) => `/api/session/${id}`);
      return { url, target };
    },
  },
  'POST /api/admin/tokens': {
    action: 'api_token.create',
    prepare: () => ({ url: '/api/admin/tokens', body: apiToken(), target: ({ id }) => `api_token/${id}` }),
  },
  'DELETE /api/admin/tokens': {
    action: 'api_token.delete_all',
    prepare: async (management) => {
      const { username } = await make(management, '/api/admin', admin());
      await make(management, '/api/admin/tokens', { ...apiToken(), admin_username: username });
      return { url: `/api/admin/tokens?admin=${username}`, target: `admin/${username}` };
    },
  },
  'DELETE /api/token/:token_id': deletionOfToken('/api/token'),
  'DELETE /api/admin/tokens/:token_id': deletionOfToken('/api/admin/tokens'),
  'PUT /api/admin': {
    action: 'admin.modify',
    prepare: async (management) => {
      const { id, username } = await make(management, '/api/admin', admin());
      const token = await management.login(username, SECRETS.password);
      const body = { current_password: SECRETS.password, password: `${SECRETS.password}, new` };
      return { url: '/api/admin', body, target: `admin/${username}`, by: { id, username, token } };
    },
  },
  'PUT /api/admin/:username': ofAdmin('modify', (username) => ({
    url: `/api/admin/${username}`,
    body: {
      password: `${SECRETS.password}, new`,
      is_sudo: false,
      discord_webhook: `https://a.example/${SECRETS.uuid}`,
    },
  })),
  'DELETE /api/admin/:username': ofAdmin('delete', (username) => ({ url: `/api/admin/${username}` })),
  'POST /api/admin/:username/reset': ofAdmin('reset', (username) => ({ url: `/api/admin/${username}/reset` })),
  'POST /api/admin/:username/users/disable': ofAdmin('disable_users', (username) => ({
    url: `/api/admin/${username}/users/disable`,
  })),
  'POST /api/admin/:username/users/activate': ofAdmin('activate_users', (username) => ({
    url: `/api/admin/${username}/users/activate`,
  })),
  'DELETE /api/admin/:username/users': ofAdmin('delete_users', (username) => ({ url: `/api/admin/${username}/users` })),

  'POST /api/group': {
    action: 'group.create',
    prepare: () => ({ url: '/api/group', body: group(), target: ({ id }) => `group/${id}` }),
  },
  'PUT /api/group/:group_id': {
    action: 'group.modify',
    prepare: async (management) => {
      const { id } = await makeGroup(management);
      return { url: `/api/group/${id}`, body: group(), target: `group/${id}` };
    },
  },
  'DELETE /api/group/:group_id': {
    action: 'group.delete',
    prepare: async (management) => {
      const { id } = await makeGroup(management);
      return { url: `/api/group/${id}`, target: `group/${id}` };
    },
  },
  'POST /api/groups/bulk/add': groupBulk('add'),
  'POST /api/groups/bulk/remove': groupBulk('remove'),

  'POST /api/user_template': {
    action: 'user_template.create',
    prepare: async (management) => {
      const { id } = await makeGroup(management);
      return { url: '/api/user_template', body: template([id]), target: (made) => `user_template/${made.id}` };
    },
  },
  'PUT /api/user_template/:template_id': {
    action: 'user_template.modify',
    prepare: async (management) => {
      const { id } = await makeTemplate(management);
      return { url: `/api/user_template/${id}`, body: template([]), target: `user_template/${id}` };
    },
  },
  'DELETE /api/user_template/:template_id': {
    action: 'user_template.delete',
    prepare: async (management) => {
      const { id } = await makeTemplate(management);
      return { url: `/api/user_template/${id}`, target: `user_template/${id}` };
    },
  },
};
