import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { exactNumber } from '../../database/column-types.js';
import { counterValue } from '../../database/counters.js';
import { asDatabase } from '../../database/database.js';
import type { UserCondition } from '../selection/user-where.js';
import { findUserRows, type UserRow } from '../user-row.js';
import { orderBy, reversed } from './user-order.js';

/**
 * Maximum number of search results that are sorted. For more results, reading in the order of the index finds the first
 * page sooner.
 */
const MAX_SORTED_USERS = 10_000;
/** Offset from which a window is read from the end of the list where that is nearer. Finding the end costs a count. */
const DEEP_OFFSET = 2_000;
/** Memory for the sort of all users by what no index covers; with less PostgreSQL sorts on the disk. */
const SORT_MEMORY = '16MB';

/** Which users a list holds, and in which order. */
export interface UserSelection {
  /** All conditions. */
  where: UserCondition;
  /** A search, as a condition on the rows of `user_searches`. */
  search?: UserCondition | undefined;
  /** Whether the search is the only condition. */
  isSearchAlone: boolean;
  /** Keys joined with commas, see `orderBy`. */
  sort?: string | undefined;
  offset?: number | undefined;
  /** 0 or absent: no limit. */
  limit?: number | undefined;
}

/** The ids of one window of a list, and how many users the whole list has. */
export interface FoundUsers {
  total: number | Promise<number>;
  ids: number[];
}

type CountedUsers = FoundUsers & { total: number };

@Injectable()
export class UserListRepository {
  constructor(private readonly database: DataSource) {}

  /** Finds the ids of a selection. Later changes of users do not change a list that is being written. */
  async findIds(selection: UserSelection): Promise<FoundUsers> {
    const { where, search, isSearchAlone } = selection;
    const few = isSearchAlone && search ? await this.findFew(search, selection) : undefined;
    if (few) return few;
    const count = (manager: EntityManager) =>
      isSearchAlone ? countFound(manager, search) : countRows(manager, 'users', where);
    if ((selection.offset ?? 0) >= DEEP_OFFSET) return this.findDeep(selection, count);
    const total = count(this.database.manager);
    // The caller may stop reading before the count is there.
    total.catch(() => undefined);
    return { total, ids: await idsOf(this.database.manager, selection) };
  }

  /**
   * Reads a window from the end of the list that is nearer to it, in one view of the database with the count, so that the
   * last rows take as long as the first.
   */
  private findDeep(
    selection: UserSelection,
    count: (manager: EntityManager) => Promise<number>,
  ): Promise<CountedUsers> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const total = await count(manager);
      const offset = selection.offset ?? 0;
      const limit = Math.min(selection.limit || total, total - offset);
      if (limit <= 0) return { total, ids: [] };
      await manager.query(`SET LOCAL work_mem = '${SORT_MEMORY}'`);
      const after = total - offset - limit;
      if (after >= offset) return { total, ids: await idsOf(manager, { ...selection, limit }) };
      const ids = await idsOf(manager, { ...selection, sort: reversed(selection.sort), offset: after, limit });
      return { total, ids: ids.reverse() };
    });
  }

  /** The rows of these users, in the order of the ids. Without credentials they are read much faster. */
  findRows(ids: readonly number[], credentials: 'with' | 'without'): Promise<UserRow[]> {
    return findUserRows(this.database, ids, credentials);
  }

  /** The users that a search finds, where they are few enough to be sorted. */
  private async findFew(
    { sql, parameters }: UserCondition,
    selection: UserSelection,
  ): Promise<CountedUsers | undefined> {
    const [row] = await this.database.query<CountedUsers[]>(
      `WITH found AS MATERIALIZED (SELECT user_id FROM user_searches WHERE ${sql} LIMIT ${MAX_SORTED_USERS + 1}),
       counted AS MATERIALIZED (SELECT count(*)::integer AS total FROM found)
       SELECT total, ARRAY (
         SELECT users.id FROM users
         WHERE users.id = ANY (ARRAY (SELECT user_id FROM found WHERE total <= ${MAX_SORTED_USERS}))
         ${ordered(selection, parameters)}
       ) AS ids FROM counted`,
      [...parameters, ...windowOf(selection)],
    );
    return row && row.total <= MAX_SORTED_USERS ? row : undefined;
  }
}

/** Counts a list that has no condition or only a search, from narrow tables. */
const countFound = (manager: EntityManager, search: UserCondition | undefined): Promise<number> =>
  search
    ? countRows(manager, 'user_searches', search)
    : totalOf(manager, `SELECT ${counterValue('users')} AS total`, []);

const countRows = (
  manager: EntityManager,
  table: 'users' | 'user_searches',
  { sql, parameters }: UserCondition,
): Promise<number> => totalOf(manager, `SELECT count(*) AS total FROM ${table} WHERE ${sql}`, parameters);

async function totalOf(manager: EntityManager, sql: string, parameters: readonly unknown[]): Promise<number> {
  const [row] = await manager.query<{ total: string | null }[]>(sql, [...parameters]);
  return exactNumber(row?.total ?? '0');
}

async function idsOf(manager: EntityManager, selection: UserSelection): Promise<number[]> {
  const { sql, parameters } = selection.where;
  const [row] = await manager.query<{ ids: number[] }[]>(
    `SELECT ARRAY (SELECT users.id FROM users WHERE ${sql} ${ordered(selection, parameters)}) AS ids`,
    [...parameters, ...windowOf(selection)],
  );
  return row?.ids ?? [];
}

/** SQL: order and window of a list. Their parameters follow those of the condition. */
const ordered = ({ sort }: UserSelection, { length }: readonly unknown[]): string =>
  `ORDER BY ${orderBy(sort)} OFFSET $${length + 1} LIMIT $${length + 2}`;

const windowOf = ({ offset, limit }: UserSelection): [number, number | null] => [offset ?? 0, limit || null];
