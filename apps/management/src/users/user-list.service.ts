import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { exactNumber } from '../database/column-types.js';
import type { PagedList } from '../http/json-list.js';
import { SubscriptionLink } from './subscription-link.js';
import type { UserView } from './user.dto.js';
import { USER_ROW, type UserRow, userView } from './user.view.js';
import { UserFilter } from './user-filter.dto.js';
import { orderBy } from './user-order.js';
import { filtered, searched, type UserCondition, whereOf } from './user-where.js';

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
    // Where nothing else narrows the list, the table of searches knows the number, and is narrow itself.
    const narrow = filtered(actor, filter).isEmpty;
    const counting = narrow
      ? this.count('user_searches', searched(filter))
      : this.count('users', whereOf(actor, filter));
    const few = narrow && !!filter.search && (await counting) <= FEW;
    const [total, ids] = await Promise.all([counting, this.idsOf(whereOf(actor, filter, few), filter)]);
    return { total, pages: this.pages(ids, filter.load_sub ?? false) };
  }

  private async count(table: string, { sql, parameters }: UserCondition): Promise<number> {
    const [row] = await this.database.query<{ total: string }[]>(
      `SELECT count(*) AS total FROM ${table} WHERE ${sql}`,
      [...parameters],
    );
    return exactNumber(row?.total ?? '0');
  }

  /** The order is decided once, whatever changes while the list is written. */
  private async idsOf({ sql, parameters }: UserCondition, { sort, offset, limit }: UserFilter): Promise<number[]> {
    const window = [offset ?? 0, limit || null];
    const [row] = await this.database.query<{ ids: number[] }[]>(
      `SELECT ARRAY (
         SELECT users.id FROM users WHERE ${sql} ORDER BY ${orderBy(sort)}
         OFFSET $${parameters.length + 1} LIMIT $${parameters.length + 2}
       ) AS ids`,
      [...parameters, ...window],
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
      yield rows.map((row) => userView(row, withLinks ? this.link : undefined));
    }
  }

  private async page(ids: readonly number[], start: number): Promise<UserRow[]> {
    if (start >= ids.length) return [];
    return this.database.query(
      `SELECT ${USER_ROW} FROM unnest($1::integer[]) WITH ORDINALITY AS listed (id, place)
       JOIN users ON users.id = listed.id ORDER BY listed.place`,
      [ids.slice(start, start + PAGE_SIZE)],
    );
  }
}
