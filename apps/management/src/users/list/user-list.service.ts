import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import type { PagedList } from '../../http/json-list.js';
import { SubscriptionLink } from '../../keys/subscription-link.js';
import { UserListRepository } from '../../user-store/list/user-list.repository.js';
import type { UserRow } from '../../user-store/user-row.js';
import type { UserMembers, UserView } from '../view/user.dto.js';
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

  /** Each user has all members, or only those that the filter names. */
  async list(actor: Actor, filter: UserFilter): Promise<PagedList<UserMembers>> {
    const { sort, offset, limit } = filter;
    const { total, ids } = await this.users.findIds({
      where: whereOf(actor, filter),
      search: filter.search ? searched(actor, filter) : undefined,
      isSearchAlone: filtered(actor, filter).isEmpty,
      sort,
      offset,
      limit,
    });
    return { total, pages: this.pages(ids, filter) };
  }

  /** Yields the pages; the next page is read from the database while the current one is written. */
  private async *pages(ids: readonly number[], { load_sub, fields }: UserFilter): AsyncGenerator<UserMembers[]> {
    const credentials = !fields?.length || fields.includes('proxy_settings') ? 'with' : 'without';
    const shown = (user: UserView) => (fields?.length ? pick(user, fields) : user);
    let next = this.page(ids, 0, credentials);
    for (let start = PAGE_SIZE; start < ids.length + PAGE_SIZE; start += PAGE_SIZE) {
      const rows = await next;
      next = this.page(ids, start, credentials);
      // If the reader has hung up, nobody awaits this page.
      next.catch(() => undefined);
      // The pool sends the query of the next page only after this turn of the event loop.
      await nextTurn();
      yield rows.map((row) => shown(userView(row, load_sub ? this.link : undefined)));
    }
  }

  private async page(ids: readonly number[], start: number, credentials: 'with' | 'without'): Promise<UserRow[]> {
    if (start >= ids.length) return [];
    return this.users.findRows(ids.slice(start, start + PAGE_SIZE), credentials);
  }
}

const pick = (user: UserView, fields: readonly (keyof UserView)[]): UserMembers =>
  Object.fromEntries(fields.map((name) => [name, user[name]]));
