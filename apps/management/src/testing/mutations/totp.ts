import { codeAt } from '../../totp/totp-codes.js';
import type { TestManagement } from '../test-management.js';
import { admin } from './access.js';
import { type MutationRequest, type Mutations, make, SECRETS } from './mutation.js';

const PASSWORD = { password: SECRETS.password };

/** An admin of its own with its token, and what the target of its changes is. */
async function ownAdmin(management: TestManagement): Promise<Required<Pick<MutationRequest, 'by' | 'target'>>> {
  const { id, username } = await make(management, '/api/admin', admin());
  const token = await management.login(username, SECRETS.password);
  return { by: { id, username, token }, target: `admin/${username}` };
}

/** Such an admin with a secret that is not confirmed yet. */
async function enrolled(management: TestManagement) {
  const own = await ownAdmin(management);
  const { body } = await management.call('POST', '/api/admin/totp', PASSWORD, own.by.token);
  return { ...own, secret: String(Object(body).secret) };
}

/** Changes of second factors. */
export const TOTP_MUTATIONS: Mutations = {
  'POST /api/admin/totp': {
    action: 'admin.enrol_totp',
    prepare: async (management) => ({ url: '/api/admin/totp', body: PASSWORD, ...(await ownAdmin(management)) }),
  },
  'POST /api/admin/totp/confirm': {
    action: 'admin.confirm_totp',
    prepare: async (management) => {
      const { secret, ...own } = await enrolled(management);
      return { url: '/api/admin/totp/confirm', body: { code: codeAt(secret, Date.now()) }, ...own };
    },
  },
  'POST /api/admin/totp/disable': {
    action: 'admin.remove_totp',
    prepare: async (management) => {
      const { secret, ...own } = await enrolled(management);
      return { url: '/api/admin/totp/disable', body: PASSWORD, ...own };
    },
  },
  'DELETE /api/admin/:username/totp': {
    action: 'admin.remove_totp',
    prepare: async (management) => {
      const { by, target } = await enrolled(management);
      return { url: `/api/admin/${by.username}/totp`, target };
    },
  },
};
