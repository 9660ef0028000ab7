import { Injectable } from '@nestjs/common';
import { Any, type EntityManager, type FindManyOptions } from 'typeorm';
import { namedByUnfinishedWork } from '../bulk/unfinished-work.js';
import { preparedAtStart } from '../database/prepared.js';
import { ManagementError } from '../errors/management-error.js';
import { Group } from './group.entity.js';

/** The work on all members of a group, by which nodes hear of its change. */
export type GroupWork = 'group.announce' | 'group.delete';

const LOCK_GROUPS = {
  name: 'lock_groups',
  text: 'SELECT id FROM groups WHERE id = ANY ($1::integer[]) ORDER BY id FOR KEY SHARE',
};

/** The statements on the table of groups, each in the transaction of the caller. */
@Injectable()
export class GroupRepository {
  insert(manager: EntityManager, columns: Omit<Group, 'id' | 'totalUsers'>): Promise<Group> {
    return manager.save(manager.create(Group, { ...columns, totalUsers: 0 }));
  }

  /** @throws ManagementError when there is no such group */
  async find(manager: EntityManager, id: number): Promise<Group> {
    const group = await manager.findOneBy(Group, { id });
    if (!group) throw new ManagementError('GROUP_NOT_FOUND');
    return group;
  }

  /** The groups of a window in the order of their ids, and the number of all groups. */
  list(manager: EntityManager, window: Pick<FindManyOptions, 'skip' | 'take'>): Promise<[Group[], number]> {
    return manager.findAndCount(Group, { order: { id: 'ASC' }, ...window });
  }

  async update(manager: EntityManager, group: Group): Promise<Group> {
    const changed = manager.create(Group, group);
    await manager.save(changed);
    return changed;
  }

  /** Triggers delete the memberships with the group. */
  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(Group, { id });
  }

  /** The inbound tags of each enabled group, by the group's id. */
  async tagsByEnabledGroup(manager: EntityManager): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
    const groups = await manager.find(Group, { select: { id: true, inboundTags: true }, where: { isDisabled: false } });
    return new Map(groups.map(({ id, inboundTags }) => [id, new Set(inboundTags)]));
  }

  /** The groups among these that are enabled and have inbound tags. */
  async grantingAmong(manager: EntityManager, ids: readonly number[]): Promise<number[]> {
    const groups = await manager.findBy(Group, { id: Any(ids), isDisabled: false });
    return groups.filter(({ inboundTags }) => inboundTags.length > 0).map(({ id }) => id);
  }

  /** The groups among these whose change or deletion is still being announced to nodes, batch by batch. */
  changingAmong(
    manager: EntityManager,
    ids: readonly number[],
    actions: readonly GroupWork[] = ['group.announce', 'group.delete'],
  ): Promise<number[]> {
    return namedByUnfinishedWork(manager, actions, 'group_id', ids);
  }

  /** Refuses ids that no group has, and locks the groups against deletion until the transaction ends. */
  async lockGroups(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const found = await preparedAtStart(manager)(LOCK_GROUPS, [ids]);
    if (found.length < new Set(ids).size) throw new ManagementError('GROUP_NOT_FOUND');
  }
}
