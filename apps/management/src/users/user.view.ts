import type { SubscriptionLink } from './subscription-link.js';
import type { UserView } from './user.dto.js';
import type { User } from './user.entity.js';

/** A user as the API shows it. */
export function userView(user: User, groupIds: readonly number[], link: SubscriptionLink): UserView {
  return {
    proxy_settings: user.proxySettings,
    expire: user.expire?.toISOString() ?? 0,
    data_limit: user.dataLimit,
    data_limit_reset_strategy: user.dataLimitResetStrategy,
    note: user.note,
    on_hold_expire_duration: user.onHoldExpireDuration,
    on_hold_timeout: user.onHoldTimeout?.toISOString() ?? null,
    group_ids: [...groupIds],
    auto_delete_in_days: user.autoDeleteInDays,
    id: user.id,
    username: user.username,
    status: user.status,
    used_traffic: user.usedTraffic,
    lifetime_used_traffic: user.usedTraffic + user.pastTraffic,
    created_at: user.createdAt.toISOString(),
    edit_at: user.editAt?.toISOString() ?? null,
    online_at: user.onlineAt?.toISOString() ?? null,
    subscription_url: link.urlOf({ userId: user.id, generation: user.subscriptionGeneration }),
    admin: user.admin && { id: user.admin.id, username: user.admin.username },
  };
}
