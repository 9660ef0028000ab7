import { Injectable, Logger } from '@nestjs/common';
import { type TemplateTerms, templateProblem } from '@rampart/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { GroupService } from '../groups/group.service.js';
import { Page, windowOf } from '../http/page.js';
import { storedExtraSettings } from '../user-store/credentials/stored-extra-settings.js';
import { UserTemplateCreate, UserTemplateModify, type UserTemplateView } from './user-template.dto.js';
import { UserTemplate } from './user-template.entity.js';
import { changedColumns, newColumns, userTemplateView } from './user-template.view.js';
import { UserTemplateGroup } from './user-template-group.entity.js';

/** A template with what it gives its users. */
export type UsableTemplate = UserTemplate & { groupIds: number[] };

@Injectable()
export class UserTemplateService {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupService,
  ) {}

  create(request: UserTemplateCreate): Promise<UserTemplateView> {
    const columns = newColumns(request);
    checkTerms(columns);
    return this.database.transaction(async (manager) => {
      await this.groups.lockGroups(manager, request.group_ids);
      const template = await manager.save(manager.create(UserTemplate, columns));
      await this.insertGroups(manager, template.id, request.group_ids);
      const after = await this.view(manager, template);
      await recordAudit(manager, { action: 'user_template.create', target: `user_template/${template.id}`, after });
      return after;
    });
  }

  async get(id: number): Promise<UserTemplateView> {
    const { manager } = this.database;
    return this.view(manager, found(await manager.findOneBy(UserTemplate, { id })));
  }

  async list(page: Page): Promise<UserTemplateView[]> {
    const { manager } = this.database;
    const templates = await manager.find(UserTemplate, { order: { id: 'ASC' }, ...windowOf(page) });
    const ids = templates.map(({ id }) => id);
    const groupIds = await this.groupIdsOf(manager, ids);
    return templates.map((template) => userTemplateView(template, groupIds.get(template.id) ?? []));
  }

  modify(id: number, request: UserTemplateModify): Promise<UserTemplateView> {
    return this.database.transaction(async (manager) => {
      const stored = await lock(manager, id, 'pessimistic_write');
      const columns = changedColumns(stored, request);
      checkTerms(columns);
      const before = await this.view(manager, stored);
      if (request.group_ids) await this.replaceGroups(manager, id, request.group_ids);
      const after = await this.view(manager, await manager.save(manager.create(UserTemplate, { ...columns, id })));
      await recordAudit(manager, { action: 'user_template.modify', target: `user_template/${id}`, before, after });
      return after;
    });
  }

  /** Next plans that name it wait for another one, and are shown so. */
  delete(id: number): Promise<void> {
    return this.database.transaction(async (manager) => {
      const before = await this.view(manager, await lock(manager, id, 'pessimistic_write'));
      await manager.delete(UserTemplate, { id });
      await recordAudit(manager, { action: 'user_template.delete', target: `user_template/${id}`, before });
    });
  }

  /** A template that users may be made from; neither it nor its groups change before the transaction ends. */
  async lockUsable(manager: EntityManager, id: number): Promise<UsableTemplate> {
    const template = await lock(manager, id, 'pessimistic_read');
    if (template.isDisabled) throw new ManagementError('USER_TEMPLATE_DISABLED');
    const groupIds = (await this.groupIdsOf(manager, [id])).get(id) ?? [];
    await this.groups.lockGroups(manager, groupIds);
    const extraSettings = storedExtraSettings(template.extraSettings);
    if (template.extraSettings !== null && extraSettings === null) {
      this.logger.warn(`user template ${id} (${template.name}) has damaged extra settings, which count as not set`);
    }
    return { ...template, extraSettings, groupIds };
  }

  private async replaceGroups(manager: EntityManager, id: number, groupIds: readonly number[]): Promise<void> {
    // The groups first, as whoever deletes one does: the other way round, the two could wait for each other.
    await this.groups.lockGroups(manager, groupIds);
    await manager.delete(UserTemplateGroup, { userTemplateId: id });
    await this.insertGroups(manager, id, groupIds);
  }

  private async insertGroups(manager: EntityManager, id: number, groupIds: readonly number[]): Promise<void> {
    const rows = [...new Set(groupIds)].map((groupId) => ({ userTemplateId: id, groupId }));
    await manager.insert(UserTemplateGroup, rows);
  }

  private async view(manager: EntityManager, template: UserTemplate): Promise<UserTemplateView> {
    const groupIds = await this.groupIdsOf(manager, [template.id]);
    return userTemplateView(template, groupIds.get(template.id) ?? []);
  }

  private async groupIdsOf(manager: EntityManager, ids: readonly number[]): Promise<Map<number, number[]>> {
    const rows = await manager.query<{ id: number; group_ids: number[] }[]>(
      `SELECT user_template_id AS id, array_agg(group_id ORDER BY group_id) AS group_ids
       FROM user_template_groups WHERE user_template_id = ANY($1) GROUP BY user_template_id`,
      [ids],
    );
    return new Map(rows.map(({ id, group_ids }) => [id, group_ids]));
  }
}

async function lock(
  manager: EntityManager,
  id: number,
  mode: 'pessimistic_read' | 'pessimistic_write',
): Promise<UserTemplate> {
  return found(await manager.findOne(UserTemplate, { where: { id }, lock: { mode } }));
}

function found(template: UserTemplate | null): UserTemplate {
  if (!template) throw new ManagementError('USER_TEMPLATE_NOT_FOUND');
  return template;
}

function checkTerms(terms: TemplateTerms): void {
  const problem = templateProblem(terms);
  if (problem) throw invalidFields({ status: problem });
}
