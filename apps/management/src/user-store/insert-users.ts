import { newProxySettings, type ProxySettings, RESET_PERIOD_SECONDS } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { preparedIn } from '../database/prepared.js';
import { randomPool } from '../keys/random-pool.js';
import { readGeneralSettings } from '../settings/stored-settings.js';
import { KEY_COLUMN_LIST, keyArrays, keyArraysFrom, keyColumns } from './credentials/credential-columns.js';
import type { User } from './entities/user.entity.js';
import { type UserRow, userRow } from './user-row.js';

/** Says whether an admin may have new users. */
export interface NewUserCheck {
  /** @throws ManagementError when it may not have those of the names that are free */
  checkNew(manager: EntityManager, admin: Actor, names: readonly string[]): Promise<void>;
}

/** The terms that users created together have in common. */
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
    | 'autoDeleteInDays'
    | 'nextPlan'
  > {
  /** To whom they belong. */
  admin: Actor;
  /** Says whether the admin may have them. */
  limit: NewUserCheck;
  /** The revision of their creation, whose counter the transaction holds. */
  revision: bigint;
  /** The caller has locked the groups, so that none is deleted meanwhile. */
  groupIds: readonly number[];
  /** Turns fresh credentials into those of one user. */
  credentials: (fresh: ProxySettings) => ProxySettings;
}

/** The defaults of the settings for new users. */
type NewUserDefaults = Awaited<ReturnType<typeof readGeneralSettings>>;

/** A name that is taken must take no id, of which there are two billion. */
const CREATED = `WITH created AS (
       INSERT INTO users (username, status, note, expire, data_limit, data_limit_reset_strategy,
         on_hold_expire_duration, on_hold_timeout, auto_delete_in_days, admin_id, next_plan,
         next_reset_at)
       SELECT fresh.username, $3, $4, $5::timestamptz, $6::bigint, $7,
         $8::bigint, $9::timestamptz, $10::integer, $11::integer, $14::jsonb,
         now() + $15::integer * interval '1 second'
       FROM unnest($1::text[]) WITH ORDINALITY AS fresh (username, position)
       WHERE NOT EXISTS (SELECT FROM users taken WHERE taken.username = fresh.username)
       ORDER BY fresh.position
       ON CONFLICT (username) DO NOTHING
       RETURNING *
     ), credited AS (
       INSERT INTO user_proxy_settings (user_id, proxy_settings, clashes)
       SELECT id, settings, '{}' FROM created
       JOIN ROWS FROM (unnest($1::text[]), jsonb_array_elements($2::jsonb)) AS fresh (username, settings) USING (username)
       RETURNING user_id, proxy_settings
     ), keyed AS (
       INSERT INTO user_credential_keys (user_id, ${KEY_COLUMN_LIST})
       SELECT id, ${KEY_COLUMN_LIST} FROM created
       JOIN ROWS FROM (unnest($1::text[]), ${keyArraysFrom(16)}) AS fresh (username, ${KEY_COLUMN_LIST}) USING (username)
     ), numbered AS (
       INSERT INTO user_revisions (user_id, revision) SELECT id, $12::bigint FROM created
     ), grouped AS (
       INSERT INTO user_groups (user_id, group_id)
       SELECT created.id, group_id FROM created CROSS JOIN unnest($13::integer[]) AS given (group_id)
     )`;

const INSERT_USERS = { name: 'insert_users', text: `${CREATED} SELECT id, username FROM created ORDER BY id` };

const INSERT_USER = {
  name: 'insert_user',
  text: `${CREATED} SELECT ${userRow({
    proxySettings: '(SELECT proxy_settings FROM credited WHERE user_id = users.id)',
    groupIds: 'ARRAY (SELECT given FROM unnest($13::integer[]) given ORDER BY given)',
  })} FROM created AS users`,
};

/** Creates users with one statement, regardless of their number. Names that are taken are left out of the result. */
export async function insertUsers(
  manager: EntityManager,
  names: readonly string[],
  batch: UserBatch,
): Promise<{ id: number; username: string }[]> {
  const usernames = [...new Set(names)];
  await batch.limit.checkNew(manager, batch.admin, usernames);
  const values = insertedValues(usernames, batch, await readGeneralSettings(manager));
  return preparedIn(manager)<{ id: number; username: string }>(INSERT_USERS, values);
}

/** Creates one user. Returns undefined when the name is taken. @param settings with the defaults for new users */
export async function insertUser(
  manager: EntityManager,
  username: string,
  batch: UserBatch,
  settings: NewUserDefaults,
): Promise<UserRow | undefined> {
  await batch.limit.checkNew(manager, batch.admin, [username]);
  const [row] = await preparedIn(manager)<UserRow>(INSERT_USER, insertedValues([username], batch, settings));
  return row;
}

function insertedValues(
  usernames: readonly string[],
  batch: UserBatch,
  { default_flow: flow, default_method: method }: NewUserDefaults,
): unknown[] {
  const random = randomPool();
  const settings = usernames.map(() => batch.credentials(newProxySettings(random, { flow, method })));
  return [
    usernames,
    JSON.stringify(settings),
    batch.status,
    batch.note,
    batch.expire,
    batch.dataLimit,
    batch.dataLimitResetStrategy,
    batch.onHoldExpireDuration,
    batch.onHoldTimeout,
    batch.autoDeleteInDays,
    batch.admin.id,
    batch.revision.toString(),
    batch.groupIds,
    batch.nextPlan && JSON.stringify(batch.nextPlan),
    batch.dataLimit > 0 ? RESET_PERIOD_SECONDS[batch.dataLimitResetStrategy] : null,
    ...keyArrays(settings.map(keyColumns)),
  ];
}
