import type { EntityManager } from 'typeorm';
import { exactNumber } from '../../database/column-types.js';
import { isoText } from '../../database/iso-text.js';
import { MANAGEMENT_ERRORS, ManagementError } from '../../errors/management-error.js';
import type { SubscriptionLink, SubscriptionSubject } from '../../keys/subscription-link.js';
import { subscriptionPrefixOf } from '../../settings/subscription-prefix.js';
import { storedProxySettings } from '../../user-store/credentials/stored-proxy-settings.js';
import { type NextPlanView, type PlanProblem, shownNextPlan } from '../../user-store/entities/next-plan.dto.js';
import { PLAN_PROBLEM } from '../../user-store/life-cycle/plan-problem.js';
import type { UserView } from './user.dto.js';

const MOMENTS = ['expire', 'on_hold_timeout', 'created_at', 'edit_at', 'online_at'] as const;

/** A user with its groups and its admin, as the database tells it: entities would take most of the time of a long list. */
export const USER_ROW = `users.id, users.username, users.status, users.note,
  users.data_limit, users.data_limit_reset_strategy, users.used_traffic, users.past_traffic,
  users.on_hold_expire_duration, users.auto_delete_in_days, users.subscription_generation, users.admin_id, users.next_plan,
  ${MOMENTS.map((name) => `${isoText(`users.${name}`)} AS ${name}`).join(', ')},
  coalesce((SELECT proxy_settings FROM user_proxy_settings WHERE user_id = users.id), '{}') AS proxy_settings,
  CASE WHEN users.next_plan IS NOT NULL THEN ${PLAN_PROBLEM} END AS plan_problem,
  (SELECT username FROM admins WHERE admins.id = users.admin_id) AS admin_username,
  ${subscriptionPrefixOf('users.admin_id')} AS url_prefix,
  ARRAY (SELECT group_id FROM user_groups WHERE user_id = users.id ORDER BY group_id) AS group_ids`;

/** What the view has under the same name, in the same form. */
type SameAsShown = Pick<
  UserView,
  | 'id'
  | 'username'
  | 'status'
  | 'note'
  | 'data_limit_reset_strategy'
  | 'auto_delete_in_days'
  | 'group_ids'
  | 'on_hold_timeout'
  | 'created_at'
  | 'edit_at'
  | 'online_at'
>;

export interface UserRow extends SameAsShown {
  proxy_settings: unknown;
  expire: string | null;
  data_limit: string;
  used_traffic: string;
  past_traffic: string;
  on_hold_expire_duration: string | null;
  subscription_generation: number;
  admin_id: number | null;
  admin_username: string | null;
  url_prefix: string | null;
  next_plan: unknown;
  plan_problem: PlanProblem | null;
}

const PLAN_PROBLEMS: Readonly<Record<PlanProblem, string>> = {
  missing: MANAGEMENT_ERRORS.USER_TEMPLATE_NOT_FOUND.message,
  disabled: MANAGEMENT_ERRORS.USER_TEMPLATE_DISABLED.message,
  damaged: 'The stored plan is damaged: set it anew',
};

const planView = ({ next_plan, plan_problem }: UserRow): NextPlanView | null =>
  next_plan === null ? null : { ...shownNextPlan(next_plan), problem: plan_problem && PLAN_PROBLEMS[plan_problem] };

/** A user as the API shows it; without `link` the subscription URL is empty. */
export function userView(row: UserRow, link?: SubscriptionLink): UserView {
  const usedTraffic = exactNumber(row.used_traffic);
  return {
    proxy_settings: storedProxySettings(row.proxy_settings),
    expire: row.expire ?? 0,
    data_limit: exactNumber(row.data_limit),
    data_limit_reset_strategy: row.data_limit_reset_strategy,
    note: row.note,
    on_hold_expire_duration: row.on_hold_expire_duration === null ? null : exactNumber(row.on_hold_expire_duration),
    on_hold_timeout: row.on_hold_timeout,
    group_ids: row.group_ids,
    auto_delete_in_days: row.auto_delete_in_days,
    next_plan: planView(row),
    id: row.id,
    username: row.username,
    status: row.status,
    used_traffic: usedTraffic,
    lifetime_used_traffic: usedTraffic + exactNumber(row.past_traffic),
    created_at: row.created_at,
    edit_at: row.edit_at,
    online_at: row.online_at,
    subscription_url: link?.urlOf({ userId: row.id, generation: row.subscription_generation }, row.url_prefix) ?? '',
    admin: row.admin_id === null ? null : { id: row.admin_id, username: row.admin_username ?? '' },
  };
}

/** One user as the transaction sees it. */
export async function findUserView(manager: EntityManager, id: number, link: SubscriptionLink): Promise<UserView> {
  const [row] = await manager.query<UserRow[]>(`SELECT ${USER_ROW} FROM users WHERE users.id = $1`, [id]);
  if (!row) throw new ManagementError('USER_NOT_FOUND');
  return userView(row, link);
}

/** The user of a subscription, without its URL; nothing when the user is gone or the token revoked. */
export async function findSubscribedView(
  manager: EntityManager,
  { userId, generation }: SubscriptionSubject,
): Promise<UserView | undefined> {
  const [row] = await manager.query<UserRow[]>(
    `SELECT ${USER_ROW} FROM users WHERE users.id = $1 AND users.subscription_generation = $2`,
    [userId, generation],
  );
  return row && userView(row);
}
