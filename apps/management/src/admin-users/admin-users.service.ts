import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { findAdmin } from '../admins/find-admin.js';
import { BulkOperations } from '../bulk/bulk-operations.service.js';
import { type BulkView, bulkView } from '../bulk/bulk-view.js';
import type { BulkBatch, BulkWork } from '../bulk/bulk-work.js';
import { updateUsers } from '../user-store/bulk-changes.js';
import { deleteUsers } from '../user-store/delete-users.js';
import { statusByTerms } from '../user-store/life-cycle/settled-status.js';
import { markChanged } from '../user-store/served/raise-revision.js';
import { SERVED } from '../user-store/served/served-users.js';
import { type UserCondition, UserWhere } from '../user-store/user-where.js';

/** Whose users are meant. */
interface OfAdmin {
  username: string;
}

const usersWork = (
  verb: 'disable_users' | 'activate_users' | 'delete_users',
  apply: (manager: EntityManager, batch: UserCondition) => Promise<BulkBatch>,
): BulkWork<OfAdmin> => ({
  action: `admin.${verb}`,
  target: ({ terms }) =>
    new UserWhere().and('users.admin_id = (SELECT id FROM admins WHERE username = ?)', terms.username),
  async apply(manager, { terms }, batch) {
    await findAdmin(manager, terms.username);
    return apply(manager, batch);
  },
  audited: ({ terms }, affected_users) => ({ target: `admin/${terms.username}`, after: { affected_users } }),
});

/** @param heard SQL: of which of the changed users nodes must hear. Rows are locked in their order, as traffic is booked. */
async function change(
  manager: EntityManager,
  { locked, set, heard }: { locked: string; set: string; heard: string },
  parameters: readonly unknown[],
): Promise<BulkBatch> {
  const changed = await updateUsers(manager, { locked, set }, heard, parameters);
  await markChanged(manager, changed.heard);
  return { count: changed.count };
}

/** Whoever is served or on hold is no more. */
const DISABLE = usersWork('disable_users', (manager, { sql, parameters }) =>
  change(
    manager,
    {
      locked: `SELECT id FROM users WHERE ${sql} AND ${SERVED} ORDER BY id FOR NO KEY UPDATE`,
      set: `status = 'disabled'`,
      heard: 'true',
    },
    parameters,
  ),
);

/**
 * Like withChosenStatus in the domain: a hold that was disabled goes on (`held`), unless its timeout has passed, from when
 * on its duration counts.
 */
const ACTIVATE = usersWork('activate_users', (manager, { sql, parameters }) =>
  change(
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
      heard: SERVED,
    },
    parameters,
  ),
);

const DELETE = usersWork('delete_users', async (manager, batch) => ({
  count: (await deleteUsers(manager, batch)).length,
}));

/** All users of an admin at once. */
@Injectable()
export class AdminUsersService {
  constructor(private readonly operations: BulkOperations) {
    for (const work of [DISABLE, ACTIVATE, DELETE]) operations.register(work);
  }

  disable(actor: Actor, username: string): Promise<BulkView> {
    return this.run(actor, username, DISABLE);
  }

  activate(actor: Actor, username: string): Promise<BulkView> {
    return this.run(actor, username, ACTIVATE);
  }

  delete(actor: Actor, username: string): Promise<BulkView> {
    return this.run(actor, username, DELETE);
  }

  private async run(actor: Actor, username: string, work: BulkWork<OfAdmin>): Promise<BulkView> {
    return bulkView((await this.operations.run(work, actor, { username })).count);
  }
}
