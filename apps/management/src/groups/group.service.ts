import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { Any, DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { lockRevision, nextRevision } from '../database/revision.js';
import { ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { raiseRevision, type UserIdQuery } from '../user-store/served/raise-revision.js';
import { GroupCreate, type GroupListView, GroupModify, type GroupView, groupView } from './group.dto.js';
import { Group } from './group.entity.js';

@Injectable()
export class GroupService {
  constructor(
    private readonly database: DataSource,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create({ name, inbound_tags, is_disabled }: GroupCreate): Promise<GroupView> {
    const inboundTags = knownTags(inbound_tags, await this.catalogue.inbounds());
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const group = manager.create(Group, { name, inboundTags, isDisabled: is_disabled ?? false, totalUsers: 0 });
      const after = groupView(await manager.save(group));
      await recordAudit(manager, { action: 'group.create', target: `group/${after.id}`, after });
      return after;
    });
  }

  async get(id: number): Promise<GroupView> {
    return groupView(await find(this.database.manager, id));
  }

  async modify(id: number, change: GroupModify): Promise<GroupView> {
    const inbounds = await this.catalogue.inbounds();
    return this.database.transaction(async (manager) => {
      await lockRevision(manager);
      await raiseConfigVersion(manager);
      const group = await find(manager, id);
      const changed = manager.create(Group, modified(group, change, inbounds));
      await manager.save(changed);
      // A name means nothing to nodes.
      const same = isDeepStrictEqual(grantedBy(group), grantedBy(changed));
      if (!same) await raiseRevision(manager, await nextRevision(manager), membersOf(id));
      const [before, after] = [groupView(group), groupView(changed)];
      await recordAudit(manager, { action: 'group.modify', target: `group/${id}`, before, after });
      return after;
    });
  }

  /** Memberships go with the group; what its users have from other groups they keep. */
  async delete(id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockRevision(manager);
      await raiseConfigVersion(manager);
      const group = await find(manager, id);
      if (grantedBy(group).length > 0) await raiseRevision(manager, await nextRevision(manager), membersOf(id));
      await manager.delete(Group, { id });
      await recordAudit(manager, { action: 'group.delete', target: `group/${id}`, before: groupView(group) });
    });
  }

  async list(page: Page): Promise<GroupListView> {
    const [groups, total] = await this.database.manager.findAndCount(Group, {
      order: { id: 'ASC' },
      ...windowOf(page),
    });
    return { groups: groups.map(groupView), total };
  }

  /** The inbound tags of each enabled group, as the transaction sees them. */
  async tagsByEnabledGroup(manager: EntityManager): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
    const groups = await manager.find(Group, { select: { id: true, inboundTags: true }, where: { isDisabled: false } });
    return new Map(groups.map(({ id, inboundTags }) => [id, new Set(inboundTags)]));
  }

  /** Refuses ids that no group has; the groups cannot go away before the transaction ends. */
  async lockGroups(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const found = await manager.find(Group, {
      select: { id: true },
      where: { id: Any(ids) },
      order: { id: 'ASC' },
      lock: { mode: 'for_key_share' },
    });
    if (found.length < new Set(ids).size) throw new ManagementError('GROUP_NOT_FOUND');
  }
}

async function find(manager: EntityManager, id: number): Promise<Group> {
  const group = await manager.findOneBy(Group, { id });
  if (!group) throw new ManagementError('GROUP_NOT_FOUND');
  return group;
}

const membersOf = (id: number): UserIdQuery => ({
  sql: 'SELECT user_id FROM user_groups WHERE group_id = $1',
  parameters: [id],
});

/** Each tag once. */
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
