import { Injectable, Logger } from '@nestjs/common';
import { type TemplateTerms, templateProblem } from '@rampart/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { GroupRepository } from '../groups/group.repository.js';
import { Page, windowOf } from '../http/page.js';
import { checkVersion } from '../http/version.js';
import { storedExtraSettings } from '../user-store/credentials/stored-extra-settings.js';
import { UserTemplateCreate, UserTemplateModify, type UserTemplateView } from './user-template.dto.js';
import type { UserTemplate } from './user-template.entity.js';
import { UserTemplateRepository } from './user-template.repository.js';
import { changedColumns, newColumns, userTemplateView } from './user-template.view.js';

/** A template with its groups. */
export type UsableTemplate = UserTemplate & { groupIds: number[] };

@Injectable()
export class UserTemplateService {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly database: DataSource,
    private readonly templates: UserTemplateRepository,
    private readonly groups: GroupRepository,
  ) {}

  create(request: UserTemplateCreate): Promise<UserTemplateView> {
    const columns = newColumns(request);
    checkTerms(columns);
    return this.database.transaction(async (manager) => {
      await this.groups.lockGroups(manager, request.group_ids);
      const template = await this.templates.insert(manager, columns);
      await this.templates.replaceGroups(manager, template.id, request.group_ids);
      const after = await this.view(manager, template);
      await recordAudit(manager, { action: 'user_template.create', target: `user_template/${template.id}`, after });
      return after;
    });
  }

  async get(id: number): Promise<UserTemplateView> {
    const { manager } = this.database;
    return this.view(manager, await this.templates.find(manager, id));
  }

  async list(page: Page): Promise<UserTemplateView[]> {
    const { manager } = this.database;
    const templates = await this.templates.list(manager, windowOf(page));
    const ids = templates.map(({ id }) => id);
    const groupIds = await this.templates.groupIdsOf(manager, ids);
    return templates.map((template) => userTemplateView(template, groupIds.get(template.id) ?? []));
  }

  modify(id: number, request: UserTemplateModify): Promise<UserTemplateView> {
    return this.database.transaction(async (manager) => {
      const stored = await this.templates.lock(manager, id, 'pessimistic_write');
      const before = await this.view(manager, stored);
      checkVersion(before);
      const columns = changedColumns(stored, request);
      checkTerms(columns);
      if (request.group_ids) await this.replaceGroups(manager, id, request.group_ids);
      const after = await this.view(manager, await this.templates.update(manager, { ...columns, id }));
      await recordAudit(manager, { action: 'user_template.modify', target: `user_template/${id}`, before, after });
      return after;
    });
  }

  /** Deletes a template. Next plans that name the template wait, and are shown with that problem. */
  delete(id: number): Promise<void> {
    return this.database.transaction(async (manager) => {
      const before = await this.view(manager, await this.templates.lock(manager, id, 'pessimistic_write'));
      checkVersion(before);
      await this.templates.delete(manager, id);
      await recordAudit(manager, { action: 'user_template.delete', target: `user_template/${id}`, before });
    });
  }

  /** Locks a template for the creation of users; neither it nor its groups change before the transaction ends. */
  async lockUsable(manager: EntityManager, id: number): Promise<UsableTemplate> {
    const template = await this.templates.lock(manager, id, 'pessimistic_read');
    if (template.isDisabled) throw new ManagementError('USER_TEMPLATE_DISABLED');
    const groupIds = (await this.templates.groupIdsOf(manager, [id])).get(id) ?? [];
    await this.groups.lockGroups(manager, groupIds);
    const extraSettings = storedExtraSettings(template.extraSettings);
    if (template.extraSettings !== null && extraSettings === null) {
      this.logger.warn(`user template ${id} (${template.name}) has damaged extra settings, which count as not set`);
    }
    return { ...template, extraSettings, groupIds };
  }

  private async replaceGroups(manager: EntityManager, id: number, groupIds: readonly number[]): Promise<void> {
    // Groups are locked first, as in the deletion of a group: in the other order the two could deadlock.
    await this.groups.lockGroups(manager, groupIds);
    await this.templates.replaceGroups(manager, id, groupIds);
  }

  private async view(manager: EntityManager, template: UserTemplate): Promise<UserTemplateView> {
    const groupIds = await this.templates.groupIdsOf(manager, [template.id]);
    return userTemplateView(template, groupIds.get(template.id) ?? []);
  }
}

function checkTerms(terms: TemplateTerms): void {
  const problem = templateProblem(terms);
  if (problem) throw invalidFields({ status: problem });
}
