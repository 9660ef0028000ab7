import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { nextRevision } from '../database/revision.js';
import { raiseRevision } from '../users/raise-revision.js';
import { GroupService } from './group.service.js';
import { BulkGroup, type BulkGroupView } from './group-bulk.dto.js';

/** SQL: the users that a request means, see `parametersOf`. */
const TARGETED = `($2::integer[] IS NULL OR users.id = ANY($2))
  AND ($3::integer[] IS NULL OR users.admin_id = ANY($3))
  AND ($4::integer[] IS NULL OR EXISTS (
    SELECT FROM user_groups has WHERE has.user_id = users.id AND has.group_id = ANY($4)))
  AND ($5::integer IS NULL OR users.admin_id = $5)`;

/** What a bulk call changes: the memberships that it finds, and the statement that makes or ends just these. */
interface BulkChange {
  memberships: string;
  apply: string;
}

const MISSING = `SELECT users.id AS user_id, given.id AS group_id
  FROM users CROSS JOIN unnest($1::integer[]) AS given (id)
  WHERE ${TARGETED} AND NOT EXISTS (
    SELECT FROM user_groups held WHERE held.user_id = users.id AND held.group_id = given.id)`;

const PRESENT = `SELECT held.user_id, held.group_id
  FROM user_groups held JOIN users ON users.id = held.user_id
  WHERE held.group_id = ANY($1::integer[]) AND ${TARGETED}`;

const ADDITION: BulkChange = {
  memberships: MISSING,
  apply: `INSERT INTO user_groups (user_id, group_id) ${MISSING} RETURNING user_id`,
};

const REMOVAL: BulkChange = {
  memberships: PRESENT,
  apply: `DELETE FROM user_groups gone USING (${PRESENT}) present
    WHERE gone.user_id = present.user_id AND gone.group_id = present.group_id RETURNING gone.user_id`,
};

/** Puts many users into groups and takes them out again. */
@Injectable()
export class GroupBulkService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupService,
  ) {}

  add(actor: Actor, request: BulkGroup): Promise<BulkGroupView> {
    return this.run(actor, request, ADDITION);
  }

  remove(actor: Actor, request: BulkGroup): Promise<BulkGroupView> {
    return this.run(actor, request, REMOVAL);
  }

  private run(actor: Actor, request: BulkGroup, change: BulkChange): Promise<BulkGroupView> {
    const parameters = parametersOf(actor, request);
    return this.database.transaction(async (manager) => {
      const revision = request.dry_run ? undefined : await nextRevision(manager);
      await this.groups.lockAll(manager, request.group_ids);
      if (revision === undefined) {
        return { dry_run: true, affected_users: await countUsers(manager, change.memberships, parameters) };
      }
      // A group that grants nothing changes nothing for nodes. All changes of memberships hold the counter: the two
      // statements find the same ones.
      await raiseRevision(manager, revision, {
        sql: `SELECT user_id FROM (${change.memberships}) membership JOIN groups ON groups.id = group_id
          WHERE NOT groups.is_disabled AND groups.inbound_tags <> '{}'`,
        parameters,
      });
      const count = await countUsers(manager, change.apply, parameters);
      return { detail: `operation has been successfuly done on ${count} users` };
    });
  }
}

/** Of `users` and `admins` the first that is given counts; given and empty, it means nobody. A plain admin reaches its own. */
function parametersOf(actor: Actor, { group_ids, users, admins, has_group_ids }: BulkGroup): unknown[] {
  return [
    [...new Set(group_ids)],
    users ?? null,
    users ? null : (admins ?? null),
    has_group_ids?.length ? has_group_ids : null,
    actor.isSudo ? null : actor.id,
  ];
}

async function countUsers(manager: EntityManager, memberships: string, parameters: unknown[]): Promise<number> {
  const [row] = await manager.query<{ users: number }[]>(
    `WITH membership AS (${memberships}) SELECT count(DISTINCT user_id)::integer AS users FROM membership`,
    parameters,
  );
  return row?.users ?? 0;
}
