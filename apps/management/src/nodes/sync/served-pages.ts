import type { EntityManager } from 'typeorm';
import { Grants } from '../../user-store/served/grants.js';
import { type ServedUser, servedUsers } from '../../user-store/served/served-users.js';
import type { CoreView } from './core-view.js';

/** Reads all users whom nodes with this view serve, in pages. The transaction must be a snapshot. */
export async function* servedPages(
  manager: EntityManager,
  view: CoreView,
  pageSize: number,
): AsyncGenerator<readonly ServedUser[], void, void> {
  const grants = await Grants.read(manager, (tag) => view.hasInbound(tag));
  if (grants.tags.length === 0) return;
  for (let lastId = 0; ; ) {
    const page = await servedUsers(manager, grants, lastId, pageSize);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    lastId = last.id;
  }
}
