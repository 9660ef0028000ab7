import type { ShadowsocksMethod, VlessFlow } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { WITH_PROXY_SETTINGS } from './credentials/user-proxy-settings.js';
import { settledStatus, statusByTerms } from './life-cycle/settled-status.js';
import type { UserCondition } from './selection/user-where.js';
import { SERVED } from './served/served-users.js';

/**
 * A change of one column of many users, as SQL over the row of `users`, with an optional change of their credentials.
 */
export interface ColumnChange {
  column: 'users.expire' | 'users.data_limit' | 'settings.proxy_settings';
  value: string;
  /** SQL: the status after the change. */
  status: string;
  /** SQL: whether nodes must be told of a changed user. `locked.served` tells whether the user was served before. */
  affectsNodes: string;
  where: string;
  parameters: readonly unknown[];
}

export interface ChangedUsers {
  count: number;
  /** The ids of the users that nodes must be told of. */
  userIdsForNodes: number[];
}

const SERVICE_CHANGES = `locked.served <> (${SERVED})`;
/** The range of moments that answers show and requests accept. */
const FIRST_END = "timestamptz '1970-01-01T00:00:01Z'";
const LAST_END = "timestamptz '9999-12-31T23:59:59Z'";

/** Shifts the end of the users who have one by some seconds, which may be negative. */
export function shiftedExpire({ sql, parameters }: UserCondition, seconds: number): ColumnChange {
  const shifted = `users.expire + make_interval(secs => $${parameters.length + 1})`;
  const expire = `least(greatest(${shifted}, ${FIRST_END}), ${LAST_END})`;
  return {
    column: 'users.expire',
    value: expire,
    status: settledStatus({ expire }),
    affectsNodes: SERVICE_CHANGES,
    where: `${sql} AND users.expire IS NOT NULL`,
    parameters: [...parameters, seconds],
  };
}

/**
 * Adds bytes, which may be negative, to the limit of the users who have one. It stays above 0, which would mean no limit.
 */
export function shiftedDataLimit({ sql, parameters }: UserCondition, bytes: number): ColumnChange {
  const shifted = `users.data_limit + $${parameters.length + 1}::bigint`;
  const dataLimit = `least(greatest(${shifted}, 1), ${Number.MAX_SAFE_INTEGER})`;
  return {
    column: 'users.data_limit',
    value: dataLimit,
    status: settledStatus({ dataLimit }),
    affectsNodes: SERVICE_CHANGES,
    where: `${sql} AND users.data_limit > 0`,
    parameters: [...parameters, bytes],
  };
}

/** The settings of users' connections; absent or null members stay unchanged. */
export interface ConnectionChange {
  flow?: VlessFlow | null;
  method?: ShadowsocksMethod | null;
}

/** Changes the settings of users' connections; their secrets stay. */
export function changedProxySettings(
  { sql, parameters }: UserCondition,
  { flow, method }: ConnectionChange,
): ColumnChange {
  const given = [
    { protocol: 'vless', member: 'flow', text: flow },
    { protocol: 'shadowsocks', member: 'method', text: method },
  ].filter(({ text }) => text !== undefined && text !== null);
  return {
    column: 'settings.proxy_settings',
    value: given.reduce(
      // Damaged credentials stay unchanged: an error would stop the call for all other users.
      (settings, { protocol, member }, index) => `CASE jsonb_typeof(settings.proxy_settings -> '${protocol}')
        WHEN 'object' THEN jsonb_set(${settings}, '{${protocol},${member}}', to_jsonb($${parameters.length + index + 1}::text))
        ELSE ${settings} END`,
      'settings.proxy_settings',
    ),
    status: 'users.status',
    affectsNodes: 'locked.served',
    where: sql,
    parameters: [...parameters, ...given.map(({ text }) => text)],
  };
}

export function changeUsers(manager: EntityManager, change: ColumnChange): Promise<ChangedUsers> {
  const { value, status, affectsNodes, parameters } = change;
  const locked = `SELECT users.id, ${value} AS value, ${status} AS status, ${SERVED} AS served
    FROM ${differing(change)} ORDER BY users.id FOR NO KEY UPDATE OF users`;
  return updateUsers(manager, { locked, ...WRITES[change.column] }, affectsNodes, parameters);
}

const WRITES: Readonly<Record<ColumnChange['column'], Omit<LockedUpdate, 'locked'>>> = {
  'users.expire': { set: 'expire = locked.value, status = locked.status, edit_at = now()' },
  'users.data_limit': { set: 'data_limit = locked.value, status = locked.status, edit_at = now()' },
  'settings.proxy_settings': {
    beside: 'UPDATE user_proxy_settings SET proxy_settings = locked.value FROM locked WHERE user_id = locked.id',
    set: 'edit_at = now()',
  },
};

/**
 * SQL of an update of users. Their rows are locked first, in the order of their ids, as when traffic is recorded; this
 * avoids deadlocks.
 */
interface LockedUpdate {
  locked: string;
  set: string;
  /** A statement that writes another table for the same users. */
  beside?: string;
}

/** Disables the users of a condition who are served or on hold; nodes must be told of all of them. */
export const disableUsers = (manager: EntityManager, { sql, parameters }: UserCondition): Promise<ChangedUsers> =>
  updateUsers(
    manager,
    {
      locked: `SELECT id FROM users WHERE ${sql} AND ${SERVED} ORDER BY id FOR NO KEY UPDATE`,
      set: `status = 'disabled'`,
    },
    'true',
    parameters,
  );

/**
 * Enables the disabled users of a condition, as `withChosenStatus` of the domain does: a hold that was disabled goes on
 * (`held`), unless its timeout has passed; then its duration counts from now.
 */
export const activateUsers = (manager: EntityManager, { sql, parameters }: UserCondition): Promise<ChangedUsers> =>
  updateUsers(
    manager,
    {
      locked: `
        SELECT id, resting.held, CASE WHEN NOT resting.held
          THEN coalesce(expire, now() + make_interval(secs => nullif(on_hold_expire_duration, 0))) END AS expire
        FROM users CROSS JOIN LATERAL (SELECT
          expire IS NULL AND coalesce(on_hold_expire_duration, 0) > 0 AND coalesce(on_hold_timeout > now(), true) AS held
        ) resting
        WHERE ${sql} AND status = 'disabled' ORDER BY id FOR NO KEY UPDATE OF users`,
      set: `
        status = CASE WHEN locked.held THEN 'on_hold' ELSE ${statusByTerms({ expire: 'locked.expire' })} END,
        expire = locked.expire,
        on_hold_expire_duration = CASE WHEN locked.held THEN on_hold_expire_duration END,
        on_hold_timeout = CASE WHEN locked.held THEN on_hold_timeout END`,
    },
    SERVED,
    parameters,
  );

/** @param affectsNodes SQL: whether nodes must be told of a changed user */
async function updateUsers(
  manager: EntityManager,
  { locked, set, beside = 'SELECT' }: LockedUpdate,
  affectsNodes: string,
  parameters: readonly unknown[],
): Promise<ChangedUsers> {
  const [changed] = await manager.query<ChangedUsers[]>(
    `WITH locked AS (${locked}), written AS (${beside}), changed AS (
       UPDATE users SET ${set} FROM locked WHERE users.id = locked.id RETURNING users.id, ${affectsNodes} AS affects_nodes
     )
     SELECT count(*)::integer AS count, coalesce(array_agg(id) FILTER (WHERE affects_nodes), '{}')
       AS "userIdsForNodes" FROM changed`,
    [...parameters],
  );
  return changed ?? { count: 0, userIdsForNodes: [] };
}

/** Counts the users that the change would change. */
export async function countChanged(manager: EntityManager, change: ColumnChange): Promise<number> {
  const [row] = await manager.query<{ count: number }[]>(
    `SELECT count(*)::integer AS count FROM ${differing(change)}`,
    [...change.parameters],
  );
  return row?.count ?? 0;
}

const differing = ({ column, value, where }: ColumnChange): string => {
  const beside = column === 'settings.proxy_settings' ? WITH_PROXY_SETTINGS : '';
  return `users ${beside} WHERE ${where} AND ${value} IS DISTINCT FROM ${column}`;
};
