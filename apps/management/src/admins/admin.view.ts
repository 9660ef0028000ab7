import { exactNumber } from '../database/column-types.js';
import { type NoEffectWarning, noEffect } from '../http/no-effect.js';
import { withVersion } from '../http/version.js';
import { readDto } from '../validation/pipes/request.pipe.js';
import type { AdminView, CheckedAdminView } from './admin.dto.js';
import type { AdminRow } from './store/admin.repository.js';
import { AdminNotifications } from './store/admin-notifications.dto.js';

export function adminView(row: AdminRow): AdminView {
  const usedTraffic = exactNumber(row.used_traffic);
  const view = {
    username: row.username,
    telegram_id: row.telegram_id === null ? null : exactNumber(row.telegram_id),
    discord_webhook: row.discord_webhook,
    sub_domain: row.sub_domain,
    profile_title: row.profile_title,
    support_url: row.support_url,
    notification_enable: storedNotifications(row.notification_enable),
    max_users: row.max_users,
    id: row.id,
    is_sudo: row.is_sudo,
    total_users: exactNumber(row.total_users),
    used_traffic: usedTraffic,
    is_disabled: row.is_disabled,
    discord_id:
      Number.isSafeInteger(Number(row.discord_id)) && row.discord_id !== null ? Number(row.discord_id) : row.discord_id,
    sub_template: row.sub_template,
    // The sum may exceed what a number holds exactly; a rounded sum is still the best answer.
    lifetime_used_traffic: usedTraffic + exactNumber(row.past_traffic),
  };
  const { total_users, used_traffic, lifetime_used_traffic, ...edited } = view;
  // A new password shows in the version of the tokens alone.
  return withVersion(view, [edited, row.token_version]);
}

const NOTIFICATIONS = 'is stored, but has no effect: Rampart sends no notifications yet';
const UNREAD = {
  telegram_id: NOTIFICATIONS,
  discord_webhook: NOTIFICATIONS,
  discord_id: NOTIFICATIONS,
  notification_enable: NOTIFICATIONS,
  sub_template: 'is stored, but has no effect: all browsers get the one page of subscriptions',
} as const satisfies Partial<Record<keyof AdminView, string>>;

/** The view with a warning for each stored member that has no effect. */
export function checkedAdminView(admin: AdminView): CheckedAdminView {
  const warnings = Object.entries(UNREAD).flatMap(([name, reason]): NoEffectWarning[] =>
    Reflect.get(admin, name) === null ? [] : [noEffect(name, `${name} ${reason}`)],
  );
  return { ...admin, warnings };
}

/** Notifications that are damaged count as not set. */
function storedNotifications(stored: unknown): AdminNotifications | null {
  const read = readDto(stored, AdminNotifications);
  return 'dto' in read ? read.dto : null;
}
