import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { lockRevision } from '../database/revision.js';
import { type BulkView, bulkView } from '../users/bulk/bulk-view.js';
import { statusByTerms } from '../users/bulk/settled-status.js';
import { type LockedUpdate, updateUsers } from '../users/bulk/user-changes.js';
import { deleteUsers } from '../users/delete-users.js';
import { tellNodes } from '../users/raise-revision.js';
import { SERVED } from '../users/served-users.js';
import { UserWhere } from '../users/user-where.js';
import { findAdmin } from './find-admin.js';

/**
 * Like withChosenStatus in the domain: a hold that was disabled goes on (`held`), unless its timeout has passed, from when
 * on its duration counts.
 */
const ACTIVATED: LockedUpdate = {
  locked: `
    SELECT id, resting.held, CASE WHEN NOT resting.held
      THEN coalesce(expire, now() + make_interval(secs => nullif(on_hold_expire_duration, 0))) END AS expire
    FROM users CROSS JOIN LATERAL (SELECT
      expire IS NULL AND coalesce(on_hold_expire_duration, 0) > 0 AND coalesce(on_hold_timeout > now(), true) AS held
    ) resting
    WHERE admin_id = $1 AND status = 'disabled' ORDER BY id FOR NO KEY UPDATE OF users`,
  set: `
    status = CASE WHEN locked.held THEN 'on_hold' ELSE ${statusByTerms({ expire: 'locked.expire' })} END,
    expire = locked.expire,
    on_hold_expire_duration = CASE WHEN locked.held THEN on_hold_expire_duration END,
    on_hold_timeout = CASE WHEN locked.held THEN on_hold_timeout END`,
};

/** All users of an admin at once. Rows are locked in the order of their ids, as traffic is booked. */
@Injectable()
export class AdminUsersService {
  constructor(private readonly database: DataSource) {}

  /** Whoever is served or on hold is no more. */
  disable(username: string): Promise<BulkView> {
    return this.change(
      username,
      'disable_users',
      {
        locked: `SELECT id FROM users WHERE admin_id = $1 AND ${SERVED} ORDER BY id FOR NO KEY UPDATE`,
        set: `status = 'disabled'`,
      },
      'true',
    );
  }

  /** Whoever was disabled becomes what its terms say: active, on hold, expired or limited. */
  activate(username: string): Promise<BulkView> {
    return this.change(username, 'activate_users', ACTIVATED, SERVED);
  }

  delete(username: string): Promise<BulkView> {
    return this.database.transaction(async (manager) => {
      const { id } = await findAdmin(manager, username);
      const { length } = await deleteUsers(manager, new UserWhere().and('users.admin_id = ?', id));
      return recordUsers(manager, username, 'delete_users', length);
    });
  }

  /** @param heard of which of the changed users nodes must hear. */
  private change(username: string, verb: string, update: LockedUpdate, heard: string): Promise<BulkView> {
    return this.database.transaction(async (manager) => {
      await lockRevision(manager);
      const { id } = await findAdmin(manager, username);
      const changed = await updateUsers(manager, update, heard, [id]);
      await tellNodes(manager, changed.heard);
      return recordUsers(manager, username, verb, changed.count);
    });
  }
}

async function recordUsers(manager: EntityManager, username: string, verb: string, users: number): Promise<BulkView> {
  await recordAudit(manager, {
    action: `admin.${verb}`,
    target: `admin/${username}`,
    after: { affected_users: users },
  });
  return bulkView(users);
}
