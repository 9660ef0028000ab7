import type { ProxySettings, UserStatus } from '@rampart/domain';
import type { DataSource } from 'typeorm';
import { exactNumber } from '../database/column-types.js';
import { queryPrepared } from '../database/prepared.js';
import { ENABLED_TAGS } from './enabled-tags.js';
import { storedProxySettings } from './stored-proxy-settings.js';
import type { SubscriptionSubject } from './subscription-link.js';
import { WITH_PROXY_SETTINGS } from './user-proxy-settings.js';

/** What a subscription tells of its user, and the version of the hosts that it is to be answered from. */
export interface Subscriber {
  username: string;
  status: UserStatus;
  proxySettings: ProxySettings;
  usedTraffic: number;
  dataLimit: number;
  expire: Date | null;
  onHoldExpireDuration: number | null;
  adminUsername: string | null;
  /** What the admin has set for the own users in place of the settings. */
  subDomain: string | null;
  profileTitle: string | null;
  supportUrl: string | null;
  inboundTags: ReadonlySet<string>;
  catalogueVersion: bigint;
}

/** All that requests for subscriptions need, in one query; nothing where the user is gone or the token revoked. */
export async function findSubscribers(
  database: DataSource,
  subjects: readonly SubscriptionSubject[],
): Promise<(Subscriber | undefined)[]> {
  const rows = await queryPrepared<Row>(database, SUBSCRIBERS, [
    subjects.map(({ userId }) => userId),
    subjects.map(({ generation }) => generation),
  ]);
  const found: (Subscriber | undefined)[] = subjects.map(() => undefined);
  for (const row of rows) found[row.place - 1] = subscriberOf(row);
  return found;
}

function subscriberOf(row: Row): Subscriber {
  return {
    username: row.username,
    status: row.status,
    proxySettings: storedProxySettings(row.proxy_settings),
    usedTraffic: exactNumber(row.used_traffic),
    dataLimit: exactNumber(row.data_limit),
    expire: row.expire,
    onHoldExpireDuration: row.on_hold_expire_duration === null ? null : exactNumber(row.on_hold_expire_duration),
    adminUsername: row.admin_username,
    subDomain: row.sub_domain,
    profileTitle: row.profile_title,
    supportUrl: row.support_url,
    inboundTags: new Set(row.tags),
    catalogueVersion: BigInt(row.catalogue_version),
  };
}

const SUBSCRIBERS = {
  name: 'subscribers',
  text: `SELECT place::integer, users.username, users.status, settings.proxy_settings, users.used_traffic, users.data_limit, users.expire,
      users.on_hold_expire_duration, admins.username AS admin_username, admins.sub_domain, admins.profile_title,
      admins.support_url, ${ENABLED_TAGS} AS tags,
      (SELECT value FROM counters WHERE name = 'catalogue') AS catalogue_version
    FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS given (id, generation, place)
      JOIN users ON users.id = given.id AND users.subscription_generation = given.generation
      ${WITH_PROXY_SETTINGS}
      LEFT JOIN admins ON admins.id = users.admin_id`,
};

interface Row {
  place: number;
  username: string;
  status: UserStatus;
  proxy_settings: unknown;
  used_traffic: string;
  data_limit: string;
  expire: Date | null;
  on_hold_expire_duration: string | null;
  admin_username: string | null;
  sub_domain: string | null;
  profile_title: string | null;
  support_url: string | null;
  tags: string[];
  catalogue_version: string;
}
