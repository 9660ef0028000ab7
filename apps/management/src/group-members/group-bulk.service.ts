import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { BulkOperations } from '../bulk/bulk-operations.service.js';
import { type BulkView, bulkView, dryRunView } from '../bulk/bulk-view.js';
import type { BulkWork } from '../bulk/bulk-work.js';
import { nextRevision } from '../database/revision.js';
import { GroupService } from '../groups/group.service.js';
import { raiseRevision } from '../user-store/served/raise-revision.js';
import type { UserCondition, UserWhere } from '../user-store/user-where.js';
import { targeted } from '../users/bulk/bulk-target.js';
import { BulkGroup } from './group-bulk.dto.js';

/** What a bulk call changes: the memberships that it finds, and the statement that makes or ends just these. */
interface BulkChange {
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
    memberships: present,
    apply: `DELETE FROM user_groups gone USING (${present}) present
      WHERE gone.user_id = present.user_id AND gone.group_id = present.group_id RETURNING gone.user_id`,
  };
}

/** Puts many users into groups and takes them out again. */
@Injectable()
export class GroupBulkService {
  private readonly addition = this.work('group.bulk_add', addition);
  private readonly removal = this.work('group.bulk_remove', removal);

  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupService,
    private readonly operations: BulkOperations,
  ) {
    for (const { work } of [this.addition, this.removal]) operations.register(work);
  }

  addGroups(actor: Actor, request: BulkGroup): Promise<BulkView> {
    return this.run(actor, request, this.addition);
  }

  removeGroups(actor: Actor, request: BulkGroup): Promise<BulkView> {
    return this.run(actor, request, this.removal);
  }

  private async run(actor: Actor, request: BulkGroup, { work, changeOf }: GroupWork): Promise<BulkView> {
    if (!request.dry_run) return bulkView((await this.operations.run(work, actor, request)).count);
    const target = targetOf(actor, request);
    return this.database.transaction(async (manager) => {
      await this.groups.lockGroups(manager, request.group_ids);
      const { memberships } = changeOf(target);
      return dryRunView(await countUsers(manager, memberships, parametersOf(target, request)));
    });
  }

  private work(action: BulkWork['action'], changeOf: (target: UserCondition) => BulkChange): GroupWork {
    const apply: BulkWork<BulkGroup>['apply'] = async (manager, { terms }, batch) => {
      const revision = await nextRevision(manager);
      await this.groups.lockGroups(manager, terms.group_ids);
      const change = changeOf(batch);
      const parameters = parametersOf(batch, terms);
      // A group that grants nothing changes nothing for nodes. All changes of memberships hold the counter: the two
      // statements find the same ones.
      await raiseRevision(manager, revision, {
        sql: `SELECT user_id FROM (${change.memberships}) membership JOIN groups ON groups.id = group_id
          WHERE NOT groups.is_disabled AND groups.inbound_tags <> '{}'`,
        parameters,
      });
      return { count: await countUsers(manager, change.apply, parameters) };
    };
    const target: BulkWork<BulkGroup>['target'] = ({ actor, terms }) => targetOf(actor, terms);
    const audited: BulkWork<BulkGroup>['audited'] = ({ terms }, affected_users) => ({
      target: 'users',
      after: { affected_users, ...terms },
    });
    return { changeOf, work: { action, target, apply, audited } };
  }
}

interface GroupWork {
  readonly work: BulkWork<BulkGroup>;
  readonly changeOf: (target: UserCondition) => BulkChange;
}

const targetOf = (actor: Actor, request: BulkGroup): UserWhere =>
  targeted(actor, { ...request, groups: request.has_group_ids });

const parametersOf = (target: UserCondition, { group_ids }: BulkGroup): unknown[] => [
  ...target.parameters,
  [...new Set(group_ids)],
];

async function countUsers(manager: EntityManager, memberships: string, parameters: unknown[]): Promise<number> {
  const [row] = await manager.query<{ users: number }[]>(
    `WITH membership AS (${memberships}) SELECT count(DISTINCT user_id)::integer AS users FROM membership`,
    parameters,
  );
  return row?.users ?? 0;
}
