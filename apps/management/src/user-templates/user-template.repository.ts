import { Injectable } from '@nestjs/common';
import type { EntityManager, FindManyOptions } from 'typeorm';
import { ManagementError } from '../errors/management-error.js';
import { UserTemplate } from './user-template.entity.js';
import { UserTemplateGroup } from './user-template-group.entity.js';

/** The statements on the tables of user templates, each in the transaction of the caller. */
@Injectable()
export class UserTemplateRepository {
  /** @throws ManagementError when there is no such template */
  async find(manager: EntityManager, id: number): Promise<UserTemplate> {
    return found(await manager.findOneBy(UserTemplate, { id }));
  }

  /** Finds a template and locks it until the transaction ends, against changes (`pessimistic_read`) or against all locks. */
  async lock(
    manager: EntityManager,
    id: number,
    mode: 'pessimistic_read' | 'pessimistic_write',
  ): Promise<UserTemplate> {
    return found(await manager.findOne(UserTemplate, { where: { id }, lock: { mode } }));
  }

  /** The templates of a window in the order of their ids. */
  list(manager: EntityManager, window: Pick<FindManyOptions, 'skip' | 'take'>): Promise<UserTemplate[]> {
    return manager.find(UserTemplate, { order: { id: 'ASC' }, ...window });
  }

  insert(manager: EntityManager, columns: Omit<UserTemplate, 'id'>): Promise<UserTemplate> {
    return manager.save(manager.create(UserTemplate, columns));
  }

  update(manager: EntityManager, template: UserTemplate): Promise<UserTemplate> {
    return manager.save(manager.create(UserTemplate, template));
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(UserTemplate, { id });
  }

  /** Maps ids of templates to the ids of their groups; templates without groups are omitted. */
  async groupIdsOf(manager: EntityManager, ids: readonly number[]): Promise<Map<number, number[]>> {
    const rows = await manager.query<{ id: number; group_ids: number[] }[]>(
      `SELECT user_template_id AS id, array_agg(group_id ORDER BY group_id) AS group_ids
       FROM user_template_groups WHERE user_template_id = ANY($1) GROUP BY user_template_id`,
      [ids],
    );
    return new Map(rows.map(({ id, group_ids }) => [id, group_ids]));
  }

  /** Replaces the groups of a template; the caller has locked the groups. */
  async replaceGroups(manager: EntityManager, id: number, groupIds: readonly number[]): Promise<void> {
    await manager.delete(UserTemplateGroup, { userTemplateId: id });
    const rows = [...new Set(groupIds)].map((groupId) => ({ userTemplateId: id, groupId }));
    await manager.insert(UserTemplateGroup, rows);
  }
}

function found(template: UserTemplate | null): UserTemplate {
  if (!template) throw new ManagementError('USER_TEMPLATE_NOT_FOUND');
  return template;
}
