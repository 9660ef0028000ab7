import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import type { PagedList } from '../../http/json-list.js';
import { SubscriptionLink } from '../../keys/subscription-link.js';
import { UserListRepository } from '../../user-store/list/user-list.repository.js';
import type { UserRow } from '../../user-store/user-row.js';
import type { UserView } from '../view/user.dto.js';
import { userView } from '../view/user.view.js';
import { UserFilter } from './user-filter.dto.js';
import { filtered, searched, whereOf } from './user-filter-where.js';

const PAGE_SIZE = 200;

@Injectable()
export class UserListService {
  constructor(
    private readonly users: UserListRepository,
    private readonly link: SubscriptionLink,
  ) {}

  async list(actor: Actor, filter: UserFilter): Promise<PagedList<UserView>> {
    const { sort, offset, limit } = filter;
    const { total, ids } = await this.users.findIds({
      where: whereOf(actor, filter),
      search: filter.search ? searched(filter) : undefined,
      isSearchAlone: filtered(actor, filter).isEmpty,
      sort,
      offset,
      limit,
    });
    return { total, pages: this.pages(ids, filter.load_sub ?? false) };
  }

  /** Yields the pages; the next page is read from the database while the current one is written. */
  private async *pages(ids: readonly number[], withLinks: boolean): AsyncGenerator<UserView[]> {
    let next = this.page(ids, 0);
    for (let start = PAGE_SIZE; start < ids.length + PAGE_SIZE; start += PAGE_SIZE) {
      const rows = await next;
      next = this.page(ids, start);
      // If the reader has hung up, nobody awaits this page.
      next.catch(() => undefined);
      // The pool sends the query of the next page only after this turn of the event loop.
      await nextTurn();
      yield rows.map((row) => userView(row, withLinks ? this.link : undefined));
    }
  }

  private async page(ids: readonly number[], start: number): Promise<UserRow[]> {
    if (start >= ids.length) return [];
    return this.users.findRows(ids.slice(start, start + PAGE_SIZE));
  }
}
