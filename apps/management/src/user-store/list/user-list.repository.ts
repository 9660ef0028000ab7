import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { exactNumber } from '../../database/column-types.js';
import { counterValue } from '../../database/counters.js';
import { findUserRows, type UserRow } from '../user-row.js';
import type { UserCondition } from '../user-where.js';
import { orderBy } from './user-order.js';

/**
 * Maximum number of search results that are sorted. For more results, reading in the order of the index finds the first
 * page sooner.
 */
const MAX_SORTED_USERS = 10_000;

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
    const total = isSearchAlone ? this.countFound(search) : this.count('users', where);
    // The caller may stop reading before the count is there.
    total.catch(() => undefined);
    return { total, ids: await this.idsOf(selection) };
  }

  /** The rows of these users, in the order of the ids. */
  findRows(ids: readonly number[]): Promise<UserRow[]> {
    return findUserRows(this.database, ids);
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

  /** Counts a list that has no condition or only a search, from narrow tables. */
  private countFound(search: UserCondition | undefined): Promise<number> {
    return search ? this.count('user_searches', search) : this.total(`SELECT ${counterValue('users')} AS total`);
  }

  private count(table: 'users' | 'user_searches', { sql, parameters }: UserCondition): Promise<number> {
    return this.total(`SELECT count(*) AS total FROM ${table} WHERE ${sql}`, parameters);
  }

  private async total(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    const [row] = await this.database.query<{ total: string | null }[]>(sql, [...parameters]);
    return exactNumber(row?.total ?? '0');
  }

  private async idsOf(selection: UserSelection): Promise<number[]> {
    const { sql, parameters } = selection.where;
    const [row] = await this.database.query<{ ids: number[] }[]>(
      `SELECT ARRAY (SELECT users.id FROM users WHERE ${sql} ${ordered(selection, parameters)}) AS ids`,
      [...parameters, ...windowOf(selection)],
    );
    return row?.ids ?? [];
  }
}

/** SQL: order and window of a list. Their parameters follow those of the condition. */
const ordered = ({ sort }: UserSelection, { length }: readonly unknown[]): string =>
  `ORDER BY ${orderBy(sort)} OFFSET $${length + 1} LIMIT $${length + 2}`;

const windowOf = ({ offset, limit }: UserSelection): [number, number | null] => [offset ?? 0, limit || null];
