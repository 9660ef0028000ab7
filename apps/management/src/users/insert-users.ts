import { randomBytes } from 'node:crypto';
import { newProxySettings, type ProxySettings } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import type { User } from './user.entity.js';

/** What users that are made together have in common. */
export interface UserBatch
  extends Pick<
    User,
    | 'status'
    | 'note'
    | 'expire'
    | 'dataLimit'
    | 'dataLimitResetStrategy'
    | 'onHoldExpireDuration'
    | 'onHoldTimeout'
    | 'adminId'
    | 'revision'
  > {
  /** Locked by the caller, so that none goes away. */
  groupIds: readonly number[];
  /** Makes of fresh credentials those of one user. */
  credentials: (fresh: ProxySettings) => ProxySettings;
}

/** Makes users by two statements, however many they are. A name that is taken is left out of what comes back. */
export async function insertUsers(
  manager: EntityManager,
  usernames: readonly string[],
  batch: UserBatch,
): Promise<{ id: number; username: string }[]> {
  const settings = usernames.map(() => JSON.stringify(batch.credentials(newProxySettings(randomBytes))));
  const created = await manager.query<{ id: number; username: string }[]>(
    `INSERT INTO users (username, proxy_settings, status, note, expire, data_limit, data_limit_reset_strategy,
       on_hold_expire_duration, on_hold_timeout, admin_id, revision)
     SELECT fresh.username, fresh.settings, $3, $4, $5::timestamptz, $6::bigint, $7,
       $8::bigint, $9::timestamptz, $10::integer, $11::bigint
     FROM unnest($1::text[], $2::jsonb[]) WITH ORDINALITY AS fresh (username, settings, position)
     ORDER BY fresh.position
     ON CONFLICT (username) DO NOTHING
     RETURNING id, username`,
    [
      usernames,
      settings,
      batch.status,
      batch.note,
      batch.expire,
      batch.dataLimit,
      batch.dataLimitResetStrategy,
      batch.onHoldExpireDuration,
      batch.onHoldTimeout,
      batch.adminId,
      batch.revision.toString(),
    ],
  );
  await manager.query(
    `INSERT INTO user_groups (user_id, group_id)
     SELECT user_id, group_id FROM unnest($1::integer[]) user_id CROSS JOIN unnest($2::integer[]) group_id`,
    [created.map(({ id }) => id), batch.groupIds],
  );
  return created;
}
