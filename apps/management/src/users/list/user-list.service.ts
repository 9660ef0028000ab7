import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { exactNumber } from '../../database/column-types.js';
import { preparedQuery } from '../../database/prepared.js';
import type { PagedList } from '../../http/json-list.js';
import { SubscriptionLink } from '../../keys/subscription-link.js';
import { orderBy } from '../../user-store/list/user-order.js';
import type { UserCondition } from '../../user-store/user-where.js';
import type { UserView } from '../view/user.dto.js';
import { USER_ROW, type UserRow, userView } from '../view/user.view.js';
import { UserFilter } from './user-filter.dto.js';
import { filtered, searched, whereOf } from './user-filter-where.js';

const PAGE_SIZE = 200;
/** So many users are found before they are sorted; of more, the first ones come soon when the order is followed. */
const FEW = 10_000;

@Injectable()
export class UserListService {
  constructor(
    private readonly database: DataSource,
    private readonly link: SubscriptionLink,
  ) {}

  async list(actor: Actor, filter: UserFilter): Promise<PagedList<UserView>> {
    const { total, ids } = await this.found(actor, filter);
    return { total, pages: this.pages(ids, filter.load_sub ?? false) };
  }

  /** Whom the filter finds, in the order that it asks for: decided once, whatever changes while the list is written. */
  private async found(actor: Actor, filter: UserFilter): Promise<FoundUsers> {
    // Where nothing else narrows the list, narrow tables know the number.
    const narrow = filtered(actor, filter).isEmpty;
    const few = narrow && filter.search ? await this.few(filter) : undefined;
    if (few) return few;
    const total = narrow ? this.countFound(filter) : this.count('users', whereOf(actor, filter));
    // Nobody waits for it when the reader has gone.
    total.catch(() => undefined);
    return { total, ids: await this.idsOf(whereOf(actor, filter), filter) };
  }

  /** The users that a search finds, where they are few enough to be sorted. */
  private async few(filter: UserFilter): Promise<Counted | undefined> {
    const { sql, parameters } = searched(filter);
    const [row] = await this.database.query<Counted[]>(
      `WITH found AS MATERIALIZED (SELECT user_id FROM user_searches WHERE ${sql} LIMIT ${FEW + 1}),
       counted AS MATERIALIZED (SELECT count(*)::integer AS total FROM found)
       SELECT total, ARRAY (
         SELECT users.id FROM users WHERE users.id = ANY (ARRAY (SELECT user_id FROM found WHERE total <= ${FEW}))
         ${ordered(filter, parameters)}
       ) AS ids FROM counted`,
      [...parameters, ...windowOf(filter)],
    );
    return row && row.total <= FEW ? row : undefined;
  }

  private countFound(filter: UserFilter): Promise<number> {
    return filter.search ? this.count('user_searches', searched(filter)) : this.total(ALL);
  }

  private count(table: string, { sql, parameters }: UserCondition): Promise<number> {
    return this.total(`SELECT count(*) AS total FROM ${table} WHERE ${sql}`, parameters);
  }

  private async total(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    const [row] = await this.database.query<{ total: string }[]>(sql, [...parameters]);
    return exactNumber(row?.total ?? '0');
  }

  private async idsOf({ sql, parameters }: UserCondition, filter: UserFilter): Promise<number[]> {
    const [row] = await this.database.query<{ ids: number[] }[]>(
      `SELECT ARRAY (SELECT users.id FROM users WHERE ${sql} ${ordered(filter, parameters)}) AS ids`,
      [...parameters, ...windowOf(filter)],
    );
    return row?.ids ?? [];
  }

  /** The next page comes from the database while this one is written. */
  private async *pages(ids: readonly number[], withLinks: boolean): AsyncGenerator<UserView[]> {
    let next = this.page(ids, 0);
    for (let start = PAGE_SIZE; start < ids.length + PAGE_SIZE; start += PAGE_SIZE) {
      const rows = await next;
      next = this.page(ids, start);
      // Nobody waits for it when the reader has gone.
      next.catch(() => undefined);
      // The pool sends nothing while this turn lasts.
      await nextTurn();
      yield rows.map((row) => userView(row, withLinks ? this.link : undefined));
    }
  }

  private async page(ids: readonly number[], start: number): Promise<UserRow[]> {
    if (start >= ids.length) return [];
    return preparedQuery(this.database)<UserRow>(LISTED, [ids.slice(start, start + PAGE_SIZE)]);
  }
}

interface FoundUsers {
  total: number | Promise<number>;
  ids: number[];
}

type Counted = FoundUsers & { total: number };

/** A trigger counts. */
const ALL = `SELECT value AS total FROM counters WHERE name = 'users'`;

const LISTED = {
  name: 'listed_users',
  text: `SELECT ${USER_ROW} FROM unnest($1::integer[]) WITH ORDINALITY AS listed (id, place)
    JOIN users ON users.id = listed.id ORDER BY listed.place`,
};

/** SQL: the order and the window of a list, behind the parameters of its condition. */
const ordered = ({ sort }: UserFilter, { length }: readonly unknown[]): string =>
  `ORDER BY ${orderBy(sort)} OFFSET $${length + 1} LIMIT $${length + 2}`;

const windowOf = ({ offset, limit }: UserFilter): [number, number | null] => [offset ?? 0, limit || null];
