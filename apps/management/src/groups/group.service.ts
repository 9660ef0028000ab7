import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { lockRevision, nextRevision } from '../database/revision.js';
import { ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { membersOf } from '../user-store/memberships.js';
import { raiseRevision } from '../user-store/served/raise-revision.js';
import { GroupCreate, type GroupListView, GroupModify, type GroupView } from './group.dto.js';
import type { Group } from './group.entity.js';
import { GroupRepository } from './group.repository.js';
import { groupView } from './group.view.js';

@Injectable()
export class GroupService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupRepository,
    private readonly catalogue: InboundCatalogue,
  ) {}

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

  async get(id: number): Promise<GroupView> {
    return groupView(await this.groups.find(this.database.manager, id));
  }

  async modify(id: number, change: GroupModify): Promise<GroupView> {
    const inbounds = await this.catalogue.inbounds();
    return this.database.transaction(async (manager) => {
      await lockRevision(manager);
      await raiseConfigVersion(manager);
      const group = await this.groups.find(manager, id);
      const changed = await this.groups.update(manager, modified(group, change, inbounds));
      // Nodes know tags, not names of groups.
      const same = isDeepStrictEqual(grantedBy(group), grantedBy(changed));
      if (!same) await raiseRevision(manager, await nextRevision(manager), membersOf(id));
      const [before, after] = [groupView(group), groupView(changed)];
      await recordAudit(manager, { action: 'group.modify', target: `group/${id}`, before, after });
      return after;
    });
  }

  /** Deletes a group with its memberships. Users keep what other groups grant them. */
  async delete(id: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockRevision(manager);
      await raiseConfigVersion(manager);
      const group = await this.groups.find(manager, id);
      if (grantedBy(group).length > 0) await raiseRevision(manager, await nextRevision(manager), membersOf(id));
      await this.groups.delete(manager, id);
      await recordAudit(manager, { action: 'group.delete', target: `group/${id}`, before: groupView(group) });
    });
  }

  async list(page: Page): Promise<GroupListView> {
    const [groups, total] = await this.groups.list(this.database.manager, windowOf(page));
    return { groups: groups.map(groupView), total };
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
