import type { ProxySettings, UserStatus } from '@rampart/domain';
import { exactNumber } from '../database/column-types.js';
import { counterValue } from '../database/counters.js';
import type { PreparedQuery } from '../database/prepared.js';
import type { SubscriptionSubject } from '../keys/subscription-link.js';
import { storedProxySettings } from './credentials/stored-proxy-settings.js';
import { HELD_PROXY_SETTINGS, WITH_PROXY_SETTINGS } from './credentials/user-proxy-settings.js';

/** The user of a subscription, and the version of the configuration that the answer must be compiled from. */
export interface Subscriber {
  username: string;
  status: UserStatus;
  proxySettings: ProxySettings;
  usedTraffic: number;
  dataLimit: number;
  expire: Date | null;
  onHoldExpireDuration: number | null;
  adminUsername: string | null;
  /** The admin's own value, which replaces the one of the settings; null: none. */
  subDomain: string | null;
  profileTitle: string | null;
  supportUrl: string | null;
  groupIds: readonly number[];
  configVersion: bigint;
}

/**
 * Finds the users of several subscriptions in one query, in the order of the subjects. An element is undefined when the
 * user was deleted or the token revoked.
 */
export async function findSubscribers(
  query: PreparedQuery,
  subjects: readonly SubscriptionSubject[],
): Promise<(Subscriber | undefined)[]> {
  const rows = await query<{ subscriber: Stored }>(SUBSCRIBERS, [
    subjects.map(({ userId }) => userId),
    subjects.map(({ generation }) => generation),
  ]);
  const found: (Subscriber | undefined)[] = subjects.map(() => undefined);
  for (const { subscriber } of rows) found[subscriber.place - 1] = subscriberOf(subscriber);
  return found;
}

function subscriberOf(stored: Stored): Subscriber {
  return {
    username: stored.username,
    status: stored.status,
    proxySettings: storedProxySettings(stored.proxy_settings),
    usedTraffic: exactNumber(stored.used_traffic),
    dataLimit: exactNumber(stored.data_limit),
    expire: stored.expire === null ? null : new Date(stored.expire),
    onHoldExpireDuration: stored.on_hold_expire_duration === null ? null : exactNumber(stored.on_hold_expire_duration),
    adminUsername: stored.admin_username,
    subDomain: stored.sub_domain,
    profileTitle: stored.profile_title,
    supportUrl: stored.support_url,
    groupIds: stored.group_ids,
    configVersion: BigInt(stored.config_version),
  };
}

// Rows come as JSON, because the driver takes twice as long for single columns. The arrays are read behind SELECT,
// which hides their length from PostgreSQL; otherwise it would make a new plan for each shorter list.
const SUBSCRIBERS = {
  name: 'subscribers',
  text: `SELECT to_json(found) AS subscriber FROM (
    SELECT place, users.username, users.status, ${HELD_PROXY_SETTINGS} AS proxy_settings, users.used_traffic, users.data_limit,
      users.expire, users.on_hold_expire_duration, admins.username AS admin_username, admins.sub_domain,
      admins.profile_title, admins.support_url,
      ARRAY(SELECT group_id FROM user_groups WHERE user_groups.user_id = users.id) AS group_ids,
      ${counterValue('config')} AS config_version
    FROM unnest((SELECT $1::integer[]), (SELECT $2::integer[])) WITH ORDINALITY AS given (id, generation, place)
      JOIN users ON users.id = given.id AND users.subscription_generation = given.generation
      ${WITH_PROXY_SETTINGS}
      LEFT JOIN admins ON admins.id = users.admin_id
  ) found`,
};

interface Stored {
  place: number;
  username: string;
  status: UserStatus;
  proxy_settings: unknown;
  used_traffic: number;
  data_limit: number;
  expire: string | null;
  on_hold_expire_duration: number | null;
  admin_username: string | null;
  sub_domain: string | null;
  profile_title: string | null;
  support_url: string | null;
  group_ids: number[];
  config_version: number;
}
