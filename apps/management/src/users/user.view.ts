import { exactNumber } from '../database/column-types.js';
import type { SubscriptionLink } from './subscription-link.js';
import type { UserView } from './user.dto.js';

/** A user with its groups and its admin, as the database tells it: entities would take most of the time of a long list. */
export const USER_ROW = `users.id, users.username, users.status, users.note, users.proxy_settings, users.expire,
  users.data_limit, users.data_limit_reset_strategy, users.used_traffic, users.past_traffic,
  users.on_hold_expire_duration, users.on_hold_timeout, users.auto_delete_in_days, users.subscription_generation,
  users.created_at, users.edit_at, users.online_at, users.admin_id,
  (SELECT username FROM admins WHERE admins.id = users.admin_id) AS admin_username,
  ARRAY (SELECT group_id FROM user_groups WHERE user_id = users.id ORDER BY group_id) AS group_ids`;

/** What the view has under the same name, in the same form. */
type SameAsShown = Pick<
  UserView,
  | 'id'
  | 'username'
  | 'status'
  | 'note'
  | 'proxy_settings'
  | 'data_limit_reset_strategy'
  | 'auto_delete_in_days'
  | 'group_ids'
>;

export interface UserRow extends SameAsShown {
  expire: Date | null;
  data_limit: string;
  used_traffic: string;
  past_traffic: string;
  on_hold_expire_duration: string | null;
  on_hold_timeout: Date | null;
  subscription_generation: number;
  created_at: Date;
  edit_at: Date | null;
  online_at: Date | null;
  admin_id: number | null;
  admin_username: string | null;
}

/** A user as the API shows it; without `link` the subscription URL is empty. */
export function userView(row: UserRow, link?: SubscriptionLink): UserView {
  const usedTraffic = exactNumber(row.used_traffic);
  return {
    proxy_settings: row.proxy_settings,
    expire: row.expire?.toISOString() ?? 0,
    data_limit: exactNumber(row.data_limit),
    data_limit_reset_strategy: row.data_limit_reset_strategy,
    note: row.note,
    on_hold_expire_duration: row.on_hold_expire_duration === null ? null : exactNumber(row.on_hold_expire_duration),
    on_hold_timeout: row.on_hold_timeout?.toISOString() ?? null,
    group_ids: row.group_ids,
    auto_delete_in_days: row.auto_delete_in_days,
    id: row.id,
    username: row.username,
    status: row.status,
    used_traffic: usedTraffic,
    lifetime_used_traffic: usedTraffic + exactNumber(row.past_traffic),
    created_at: row.created_at.toISOString(),
    edit_at: row.edit_at?.toISOString() ?? null,
    online_at: row.online_at?.toISOString() ?? null,
    subscription_url: link?.urlOf({ userId: row.id, generation: row.subscription_generation }) ?? '',
    admin: row.admin_id === null ? null : { id: row.admin_id, username: row.admin_username ?? '' },
  };
}
