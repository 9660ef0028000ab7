import { Injectable } from '@nestjs/common';
import { Any, DataSource, type EntityManager } from 'typeorm';
import { InboundCatalogue } from '../cores/inbound-catalogue.js';
import { exactNumber } from '../database/column-types.js';
import { ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { GroupCreate, type GroupListView, type GroupView, groupView } from './group.dto.js';
import { Group } from './group.entity.js';

@Injectable()
export class GroupService {
  constructor(
    private readonly database: DataSource,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create({ name, inbound_tags, is_disabled }: GroupCreate): Promise<GroupView> {
    const inboundTags = [...new Set(inbound_tags)];
    const known = await this.catalogue.inbounds();
    if (!inboundTags.every((tag) => known.has(tag))) throw new ManagementError('INBOUND_TAG_UNKNOWN');
    const { manager } = this.database;
    const group = await manager.save(manager.create(Group, { name, inboundTags, isDisabled: is_disabled ?? false }));
    return groupView(group, 0);
  }

  async get(id: number): Promise<GroupView> {
    const group = await this.database.manager.findOneBy(Group, { id });
    if (!group) throw new ManagementError('GROUP_NOT_FOUND');
    return groupView(group, (await this.userCounts([id])).get(id) ?? 0);
  }

  async list(page: Page): Promise<GroupListView> {
    const [groups, total] = await this.database.manager.findAndCount(Group, {
      order: { id: 'ASC' },
      ...windowOf(page),
    });
    const counts = await this.userCounts(groups.map(({ id }) => id));
    return { groups: groups.map((group) => groupView(group, counts.get(group.id) ?? 0)), total };
  }

  /** Refuses ids that no group has; the groups cannot go away before the transaction ends. */
  async lockAll(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const found = await manager.find(Group, {
      select: { id: true },
      where: { id: Any(ids) },
      order: { id: 'ASC' },
      lock: { mode: 'for_key_share' },
    });
    if (found.length < new Set(ids).size) throw new ManagementError('GROUP_NOT_FOUND');
  }

  private async userCounts(ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.database.query<{ group_id: number; users: string }[]>(
      'SELECT group_id, count(*) AS users FROM user_groups WHERE group_id = ANY($1) GROUP BY group_id',
      [ids],
    );
    return new Map(rows.map(({ group_id, users }) => [group_id, exactNumber(users)]));
  }
}
