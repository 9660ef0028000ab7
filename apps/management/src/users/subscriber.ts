import type { ProxySettings, UserStatus } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { exactNumber } from '../database/column-types.js';
import { ENABLED_TAGS } from './enabled-tags.js';
import { storedProxySettings } from './stored-proxy-settings.js';
import type { SubscriptionSubject } from './subscription-link.js';

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

/** All that a request for a subscription needs, in one query; nothing when the user is gone or the token revoked. */
export async function findSubscriber(
  manager: EntityManager,
  { userId, generation }: SubscriptionSubject,
): Promise<Subscriber | undefined> {
  const [row] = await manager.query<Row[]>(
    `SELECT users.username, users.status, users.proxy_settings, users.used_traffic, users.data_limit, users.expire,
       users.on_hold_expire_duration, admins.username AS admin_username, admins.sub_domain, admins.profile_title,
       admins.support_url, ${ENABLED_TAGS} AS tags,
       (SELECT value FROM counters WHERE name = 'catalogue') AS catalogue_version
     FROM users LEFT JOIN admins ON admins.id = users.admin_id
     WHERE users.id = $1 AND users.subscription_generation = $2`,
    [userId, generation],
  );
  return (
    row && {
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
    }
  );
}

interface Row {
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
