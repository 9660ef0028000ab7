import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor, reachedBy } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { BulkOperations } from '../bulk/bulk-operations.service.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { lockRevision } from '../database/revision.js';
import { ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { checkVersion } from '../http/version.js';
import { countUsersInGroups } from '../user-store/users-of-admin.js';
import { GroupCreate, type GroupListView, GroupModify, type GroupView } from './group.dto.js';
import type { Group } from './group.entity.js';
import { GroupRepository } from './group.repository.js';
import { groupView } from './group.view.js';
import { ANNOUNCEMENT, deletionOf } from './group-announcement.js';

@Injectable()
export class GroupService {
  private readonly deletion: ReturnType<typeof deletionOf>;

  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupRepository,
    private readonly catalogue: InboundCatalogue,
    private readonly operations: BulkOperations,
  ) {
    operations.register(ANNOUNCEMENT);
    this.deletion = operations.register(deletionOf(groups));
  }

  async create({ name, inbound_tags, is_disabled }: GroupCreate): Promise<GroupView> {
    const inboundTags = knownTags(inbound_tags, await this.catalogue.inbounds());
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const group = await this.groups.insert(manager, { name, inboundTags, isDisabled: is_disabled ?? false });
      const after = groupView(group);
      await recordAudit(manager, { action: 'group.create', target: `group/${after.id}`, after });
      return after;
    });
  }

  async get(actor: Actor, id: number): Promise<GroupView> {
    const found = await this.groups.find(this.database.manager, id);
    const [group = found] = await this.seenBy(actor, [found]);
    return groupView(group);
  }

  /** Nodes hear of the members in batches, so that other changes are made in between. */
  async modify(actor: Actor, id: number, change: GroupModify): Promise<GroupView> {
    const inbounds = await this.catalogue.inbounds();
    let view: GroupView | undefined;
    await this.operations.runAfter(ANNOUNCEMENT, actor, async (manager) => {
      await lockRevision(manager);
      await raiseConfigVersion(manager);
      const group = await this.groups.find(manager, id);
      checkVersion(groupView(group));
      await this.checkStays(manager, id);
      const changed = await this.groups.update(manager, modified(group, change, inbounds));
      const [before, after] = [groupView(group), groupView(changed)];
      await recordAudit(manager, { action: 'group.modify', target: `group/${id}`, before, after });
      view = after;
      // Nodes know tags, not names of groups.
      return isDeepStrictEqual(grantedBy(group), grantedBy(changed)) ? undefined : { group_id: id };
    });
    return view ?? this.get(actor, id);
  }

  /**
   * Deletes a group with its memberships. Users keep what other groups grant them. A large group is disabled and loses its
   * members in batches before it is deleted.
   */
  async delete(actor: Actor, id: number): Promise<void> {
    await this.operations.runAfter(this.deletion, actor, async (manager) => {
      await lockRevision(manager);
      await raiseConfigVersion(manager);
      const group = await this.groups.find(manager, id);
      const before = groupView(group);
      checkVersion(before);
      await this.checkStays(manager, id);
      // A group that grants nothing may have done so a moment ago.
      const has_granted = grantedBy(group).length > 0 || (await this.groups.changingAmong(manager, [id])).length > 0;
      await this.groups.update(manager, { ...group, isDisabled: true });
      return { group_id: id, before, has_granted };
    });
  }

  /** @throws ManagementError when the group is being deleted */
  private async checkStays(manager: EntityManager, id: number): Promise<void> {
    const deleted = await this.groups.changingAmong(manager, [id], ['group.delete']);
    if (deleted.length > 0) throw new ManagementError('BULK_GOES_ON');
  }

  async list(actor: Actor, page: Page): Promise<GroupListView> {
    const [groups, total] = await this.groups.list(this.database.manager, windowOf(page));
    return { groups: (await this.seenBy(actor, groups)).map(groupView), total };
  }

  /** The groups with the number of the users whom an admin may see. */
  private async seenBy(actor: Actor, groups: readonly Group[]): Promise<readonly Group[]> {
    const { adminId } = reachedBy(actor);
    if (adminId === undefined) return groups;
    const ids = groups.map(({ id }) => id);
    const own = await countUsersInGroups(this.database.manager, adminId, ids);
    return groups.map((group) => ({ ...group, totalUsers: own.get(group.id) ?? 0 }));
  }
}

/** The tags without repetitions. @throws ManagementError when no core offers one of them */
function knownTags(tags: readonly string[], inbounds: ReadonlyMap<string, OfferedInbound>): string[] {
  if (!tags.every((tag) => inbounds.has(tag))) throw new ManagementError('INBOUND_TAG_UNKNOWN');
  return [...new Set(tags)];
}

function modified(
  group: Group,
  { name, inbound_tags, is_disabled }: GroupModify,
  inbounds: ReadonlyMap<string, OfferedInbound>,
): Group {
  return {
    ...group,
    name: name ?? group.name,
    inboundTags: inbound_tags === undefined ? group.inboundTags : knownTags(inbound_tags ?? [], inbounds),
    isDisabled: is_disabled ?? group.isDisabled,
  };
}

const grantedBy = ({ isDisabled, inboundTags }: Group): string[] => (isDisabled ? [] : inboundTags.toSorted());
