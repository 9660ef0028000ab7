import type { Admin, AdminModify } from '../../api/types';

/** The values of the form, under the names of the API. */
export interface AdminValues {
  username: string;
  /** Empty: it stays. */
  password: string;
  revoke_tokens: boolean;
  is_sudo: 'true' | 'false';
  is_disabled: boolean;
  /** Empty: as many as the server says. */
  max_users: number | '';
  profile_title: string;
  support_url: string;
  sub_domain: string;
}

export const adminValues = (admin: Admin | undefined): AdminValues => ({
  username: admin?.username ?? '',
  password: '',
  revoke_tokens: false,
  is_sudo: admin?.is_sudo ? 'true' : 'false',
  is_disabled: admin?.is_disabled ?? false,
  max_users: admin?.max_users ?? '',
  profile_title: admin?.profile_title ?? '',
  support_url: admin?.support_url ?? '',
  sub_domain: admin?.sub_domain ?? '',
});

/** The body of which the changed members change an admin. */
export const adminBody = ({
  username,
  password,
  revoke_tokens,
  is_sudo,
  is_disabled,
  max_users,
  ...texts
}: AdminValues) =>
  ({
    username: username.trim(),
    password,
    revoke_tokens,
    is_sudo: is_sudo === 'true',
    is_disabled,
    max_users: max_users === '' ? null : max_users,
    profile_title: texts.profile_title.trim() || null,
    support_url: texts.support_url.trim() || null,
    sub_domain: texts.sub_domain.trim() || null,
  }) satisfies AdminModify & { username: string };

/** The body that creates an admin. */
export function newAdminBody(values: AdminValues) {
  const { revoke_tokens, ...body } = adminBody(values);
  return body;
}
