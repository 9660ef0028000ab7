import type { EntityManager } from 'typeorm';
import { exactNumber } from '../../database/column-types.js';
import { MANAGEMENT_ERRORS } from '../../errors/management-error.js';
import { versionOf } from '../../http/version.js';
import type { SubscriptionLink, SubscriptionSubject } from '../../keys/subscription-link.js';
import { storedProxySettings } from '../../user-store/credentials/stored-proxy-settings.js';
import { type NextPlanView, type PlanProblem, shownNextPlan } from '../../user-store/entities/next-plan.dto.js';
import { findSubscribedRow, type UserRow } from '../../user-store/user-row.js';
import type { UserView } from './user.dto.js';

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
    version: userVersion(row),
  };
}

/**
 * Every edit of the terms or credentials by an admin also writes `edit_at`; the other members change without it, in bulk or
 * when a plan begins. What the service changes by itself (traffic, and the states that follow from it) is left out.
 */
const userVersion = (row: UserRow): string =>
  versionOf([
    row.id,
    row.edit_at,
    row.status === 'disabled',
    row.subscription_generation,
    row.admin_id,
    row.group_ids,
    row.data_limit,
    row.data_limit_reset_strategy,
    row.note,
    row.next_plan,
  ]);

/** Returns the user of a subscription, without its URL; undefined when the user was deleted or the token revoked. */
export async function findSubscribedView(
  manager: EntityManager,
  subject: SubscriptionSubject,
): Promise<UserView | undefined> {
  const row = await findSubscribedRow(manager, subject);
  return row && userView(row);
}
