import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { type BulkView, bulkView, dryRunView } from '../bulk/bulk.view.js';
import { BulkOperations } from '../bulk/bulk-operations.service.js';
import type { BulkWork } from '../bulk/bulk-work.js';
import { nextRevision } from '../database/revision.js';
import { GroupRepository } from '../groups/group.repository.js';
import {
  addedMemberships,
  changeMemberships,
  countMembershipChanges,
  type MembershipChange,
  removedMemberships,
} from '../user-store/memberships.js';
import type { UserCondition, UserWhere } from '../user-store/selection/user-where.js';
import { targeted } from '../users/bulk/bulk-target.js';
import { BulkGroup } from './group-bulk.dto.js';

type ChangeOf = (users: UserCondition) => MembershipChange;

/** Puts many users into groups and takes them out again. */
@Injectable()
export class GroupBulkService {
  private readonly addition: BulkWork<BulkGroup>;
  private readonly removal: BulkWork<BulkGroup>;

  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupRepository,
    private readonly operations: BulkOperations,
  ) {
    this.addition = operations.register(this.work('group.bulk_add', addedMemberships));
    this.removal = operations.register(this.work('group.bulk_remove', removedMemberships));
  }

  addGroups(actor: Actor, request: BulkGroup): Promise<BulkView> {
    return request.dry_run ? this.count(actor, request, addedMemberships) : this.run(actor, request, this.addition);
  }

  removeGroups(actor: Actor, request: BulkGroup): Promise<BulkView> {
    return request.dry_run ? this.count(actor, request, removedMemberships) : this.run(actor, request, this.removal);
  }

  private async run(actor: Actor, request: BulkGroup, work: BulkWork<BulkGroup>): Promise<BulkView> {
    return bulkView((await this.operations.run(work, actor, request)).count);
  }

  private count(actor: Actor, request: BulkGroup, changeOf: ChangeOf): Promise<BulkView> {
    return this.database.transaction(async (manager) => {
      await this.groups.lockGroups(manager, request.group_ids);
      const change = changeOf(targetOf(actor, request));
      return dryRunView(await countMembershipChanges(manager, change, groupIdsOf(request)));
    });
  }

  private work(action: BulkWork['action'], changeOf: ChangeOf): BulkWork<BulkGroup> {
    return {
      action,
      target: ({ actor, terms }) => targetOf(actor, terms),
      apply: async (manager, { terms }, batch) => {
        const revision = await nextRevision(manager);
        await this.groups.lockGroups(manager, terms.group_ids);
        const groupIds = groupIdsOf(terms);
        const known = [
          ...(await this.groups.grantingAmong(manager, groupIds)),
          ...(await this.groups.changingAmong(manager, groupIds)),
        ];
        return { count: await changeMemberships(manager, revision, changeOf(batch), groupIds, known) };
      },
      audited: ({ terms }, affected_users) => ({ target: 'users', after: { affected_users, ...terms } }),
    };
  }
}

const targetOf = (actor: Actor, request: BulkGroup): UserWhere =>
  targeted(actor, { ...request, groups: request.has_group_ids });

const groupIdsOf = ({ group_ids }: BulkGroup): number[] => [...new Set(group_ids)];
