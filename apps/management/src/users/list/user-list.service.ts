import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import { EventLoopTurns } from '../../concurrency/event-loop-turns.js';
import type { PagedList } from '../../http/json-list.js';
import { SubscriptionLink } from '../../keys/subscription-link.js';
import { UserListRepository } from '../../user-store/list/user-list.repository.js';
import type { UserRow } from '../../user-store/user-row.js';
import type { UserMembers, UserView } from '../view/user.dto.js';
import { userView } from '../view/user.view.js';
import { UserFilter } from './user-filter.dto.js';
import { filtered, searched, whereOf } from './user-filter-where.js';

/** So many users are read from the database at a time. */
const PAGE_SIZE = 200;
/** So many are shown in a turn of the event loop; signing the link of one takes about as long as the rest of it. */
const SHOWN_IN_A_TURN = { plain: 50, signed: 25 } as const;

@Injectable()
export class UserListService {
  private readonly turns = new EventLoopTurns();

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
    return { total, pages: this.pages(ids, filter, actor.username) };
  }

  /**
   * Yields the users in parts, each in a turn of the event loop that no other list has, so that neither long lists nor many
   * of them hold up other requests. The next page is read from the database meanwhile.
   */
  private async *pages(
    ids: readonly number[],
    { load_sub, fields }: UserFilter,
    owner: string,
  ): AsyncGenerator<UserMembers[]> {
    const credentials = !fields?.length || fields.includes('proxy_settings') ? 'with' : 'without';
    const link = load_sub ? this.link : undefined;
    const shown = (user: UserView) => (fields?.length ? pick(user, fields) : user);
    const inTurn = SHOWN_IN_A_TURN[link ? 'signed' : 'plain'];
    let next = this.page(ids, 0, credentials);
    for (let start = PAGE_SIZE; start < ids.length + PAGE_SIZE; start += PAGE_SIZE) {
      const rows = await next;
      next = this.page(ids, start, credentials);
      // If the reader has hung up, nobody awaits this page.
      next.catch(() => undefined);
      for (let from = 0; from < rows.length; from += inTurn) {
        await this.turns.next(owner);
        yield rows.slice(from, from + inTurn).map((row) => shown(userView(row, link)));
      }
    }
  }

  private async page(ids: readonly number[], start: number, credentials: 'with' | 'without'): Promise<UserRow[]> {
    if (start >= ids.length) return [];
    return this.users.findRows(ids.slice(start, start + PAGE_SIZE), credentials);
  }
}

const pick = (user: UserView, fields: readonly (keyof UserView)[]): UserMembers =>
  Object.fromEntries(fields.map((name) => [name, user[name]]));
