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
import { type UserCondition, whereOf } from './user-where.js';

const PAGE_SIZE = 1000;

@Injectable()
export class UserListService {
  constructor(
    private readonly database: DataSource,
    private readonly link: SubscriptionLink,
  ) {}

  async list(actor: Actor, filter: UserFilter): Promise<PagedList<UserView>> {
    const where = whereOf(actor, filter);
    const [total, ids] = await Promise.all([this.count(where), this.idsOf(where, filter)]);
    return { total, pages: this.pages(ids, filter.load_sub ?? false) };
  }

  private async count({ sql, parameters }: UserCondition): Promise<number> {
    const [row] = await this.database.query<{ total: string }[]>(`SELECT count(*) AS total FROM users WHERE ${sql}`, [
      ...parameters,
    ]);
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

  private async *pages(ids: readonly number[], withLinks: boolean): AsyncGenerator<UserView[]> {
    const link = withLinks ? this.link : undefined;
    for (let start = 0; start < ids.length; start += PAGE_SIZE) {
      const rows = await this.database.query<UserRow[]>(
        `SELECT ${USER_ROW} FROM unnest($1::integer[]) WITH ORDINALITY AS listed (id, place)
         JOIN users ON users.id = listed.id ORDER BY listed.place`,
        [ids.slice(start, start + PAGE_SIZE)],
      );
      yield rows.map((row) => userView(row, link));
    }
  }
}
