import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { Actor } from '../auth/actor.js';
import { nextRevision } from '../database/revision.js';
import { targeted } from '../users/bulk/bulk-target.js';
import { type BulkView, bulkView, dryRunView } from '../users/bulk/bulk-view.js';
import { raiseRevision } from '../users/raise-revision.js';
import type { UserCondition } from '../users/user-where.js';
import { GroupService } from './group.service.js';
import { BulkGroup } from './group-bulk.dto.js';

/** What a bulk call changes: the memberships that it finds, and the statement that makes or ends just these. */
interface BulkChange {
  action: 'group.bulk_add' | 'group.bulk_remove';
  memberships: string;
  apply: string;
}

/** The groups of a request are the parameter behind those of its users. */
const groupsOf = ({ parameters }: UserCondition): string => `$${parameters.length + 1}::integer[]`;

function addition(target: UserCondition): BulkChange {
  const missing = `SELECT users.id AS user_id, given.id AS group_id
    FROM users CROSS JOIN unnest(${groupsOf(target)}) AS given (id)
    WHERE ${target.sql} AND NOT EXISTS (
      SELECT FROM user_groups held WHERE held.user_id = users.id AND held.group_id = given.id)`;
  return {
    action: 'group.bulk_add',
    memberships: missing,
    // In the order of indexes and users, many rows are written in two thirds of the time.
    apply: `INSERT INTO user_groups (user_id, group_id) ${missing} ORDER BY user_id, group_id RETURNING user_id`,
  };
}

function removal(target: UserCondition): BulkChange {
  const present = `SELECT held.user_id, held.group_id
    FROM user_groups held JOIN users ON users.id = held.user_id
    WHERE held.group_id = ANY(${groupsOf(target)}) AND ${target.sql}`;
  return {
    action: 'group.bulk_remove',
    memberships: present,
    apply: `DELETE FROM user_groups gone USING (${present}) present
      WHERE gone.user_id = present.user_id AND gone.group_id = present.group_id RETURNING gone.user_id`,
  };
}

/** Puts many users into groups and takes them out again. */
@Injectable()
export class GroupBulkService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupService,
  ) {}

  add(actor: Actor, request: BulkGroup): Promise<BulkView> {
    return this.run(actor, request, addition);
  }

  remove(actor: Actor, request: BulkGroup): Promise<BulkView> {
    return this.run(actor, request, removal);
  }

  private run(actor: Actor, request: BulkGroup, changeOf: (target: UserCondition) => BulkChange): Promise<BulkView> {
    const target = targeted(actor, { ...request, groups: request.has_group_ids });
    const change = changeOf(target);
    const parameters = [...target.parameters, [...new Set(request.group_ids)]];
    return this.database.transaction(async (manager) => {
      const revision = request.dry_run ? undefined : await nextRevision(manager);
      await this.groups.lockAll(manager, request.group_ids);
      if (revision === undefined) {
        return dryRunView(await countUsers(manager, change.memberships, parameters));
      }
      // A group that grants nothing changes nothing for nodes. All changes of memberships hold the counter: the two
      // statements find the same ones.
      await raiseRevision(manager, revision, {
        sql: `SELECT user_id FROM (${change.memberships}) membership JOIN groups ON groups.id = group_id
          WHERE NOT groups.is_disabled AND groups.inbound_tags <> '{}'`,
        parameters,
      });
      const count = await countUsers(manager, change.apply, parameters);
      const after = { affected_users: count, ...request };
      await recordAudit(manager, { action: change.action, target: 'users', after });
      return bulkView(count);
    });
  }
}

async function countUsers(manager: EntityManager, memberships: string, parameters: unknown[]): Promise<number> {
  const [row] = await manager.query<{ users: number }[]>(
    `WITH membership AS (${memberships}) SELECT count(DISTINCT user_id)::integer AS users FROM membership`,
    parameters,
  );
  return row?.users ?? 0;
}
