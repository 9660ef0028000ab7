import type { AdminCreate, AdminModify } from './admin.dto.js';
import type { Admin } from './store/admin.entity.js';

/** The columns that a request can set. */
type AdminColumns = Pick<
  Admin,
  | 'passwordHash'
  | 'isSudo'
  | 'isDisabled'
  | 'tokenVersion'
  | 'telegramId'
  | 'discordId'
  | 'discordWebhook'
  | 'subDomain'
  | 'profileTitle'
  | 'supportUrl'
  | 'subTemplate'
  | 'notificationEnable'
  | 'maxUsers'
>;

export function newAdmin(request: AdminCreate, passwordHash: string): AdminColumns & Pick<Admin, 'username'> {
  const nobody: AdminColumns = {
    passwordHash,
    isSudo: false,
    isDisabled: false,
    tokenVersion: 0,
    telegramId: null,
    discordId: null,
    discordWebhook: null,
    subDomain: null,
    profileTitle: null,
    supportUrl: null,
    subTemplate: null,
    notificationEnable: null,
    maxUsers: null,
  };
  return { ...modifiedAdmin(nobody, request), username: request.username, tokenVersion: 0 };
}

/**
 * The columns after a modification: absent members stay, null clears. Tokens end when the admin loses rights or gets a new
 * password.
 */
export function modifiedAdmin(
  admin: AdminColumns,
  { is_sudo, is_disabled, ...request }: AdminModify,
  passwordHash?: string,
): AdminColumns {
  const isSudo = is_sudo ?? admin.isSudo;
  const isDisabled = is_disabled ?? admin.isDisabled;
  const isDemoted = admin.isSudo && !isSudo;
  const ends = passwordHash !== undefined || isDemoted || (isDisabled && !admin.isDisabled);
  return {
    passwordHash: passwordHash ?? admin.passwordHash,
    isSudo,
    isDisabled,
    tokenVersion: admin.tokenVersion + (ends ? 1 : 0),
    telegramId: changed(admin.telegramId, request.telegram_id),
    discordId: changed(admin.discordId, request.discord_id),
    discordWebhook: changed(admin.discordWebhook, request.discord_webhook),
    subDomain: changed(admin.subDomain, request.sub_domain),
    profileTitle: changed(admin.profileTitle, request.profile_title),
    supportUrl: changed(admin.supportUrl, request.support_url),
    subTemplate: changed(admin.subTemplate, request.sub_template),
    notificationEnable: changed(admin.notificationEnable, request.notification_enable),
    maxUsers: changed(admin.maxUsers, request.max_users),
  };
}

const changed = <T>(stored: T, given: T | undefined): T => (given === undefined ? stored : given);
