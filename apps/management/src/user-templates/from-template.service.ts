import { Injectable } from '@nestjs/common';
import { settleUserState, termsFromTemplate, withExtraSettings } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { UserLimit } from '../admins/store/user-limit.js';
import { recordAudit } from '../audit/record-audit.js';
import { lockRevision, nextRevision } from '../database/revision.js';
import { rolledBack } from '../database/rolled-back.js';
import { ManagementError } from '../errors/management-error.js';
import { SubscriptionLink } from '../keys/subscription-link.js';
import { readGeneralSettings } from '../settings/stored-settings.js';
import { subscriptionPrefix } from '../settings/subscription-prefix.js';
import { UsageRepository } from '../usage/usage.repository.js';
import { changeProxySettings } from '../user-store/credentials/user-proxy-settings.js';
import type { StoredUser } from '../user-store/entities/user.entity.js';
import { insertUser, type UserBatch } from '../user-store/insert-users.js';
import { clearTraffic } from '../user-store/life-cycle/clear-traffic.js';
import { nextResetAt } from '../user-store/life-cycle/next-reset-at.js';
import { countNewNames } from '../user-store/users-of-admin.js';
import { UserChangeService } from '../users/change/user-change.service.js';
import { statusColumns } from '../users/change/user-modification.js';
import type { UserView } from '../users/view/user.dto.js';
import { userView } from '../users/view/user.view.js';
import { type CreatedUsersView, UserByTemplate, UserFromTemplate, UsersFromTemplate } from './from-template.dto.js';
import { checkStrategy, finalNames, insertMany, namesOf } from './insert-from-template.js';
import { type UsableTemplate, UserTemplateService } from './user-template.service.js';

@Injectable()
export class FromTemplateService {
  constructor(
    private readonly database: DataSource,
    private readonly templates: UserTemplateService,
    private readonly changes: UserChangeService,
    private readonly usage: UsageRepository,
    private readonly link: SubscriptionLink,
    private readonly limit: UserLimit,
  ) {}

  async create(actor: Actor, request: UserFromTemplate): Promise<UserView> {
    return this.database.transaction(async (manager) => {
      const [revision, settings] = await Promise.all([nextRevision(manager), readGeneralSettings(manager)]);
      const template = await this.templates.lockUsable(manager, request.user_template_id);
      const [username = ''] = finalNames(template, [request.username]);
      const batch = batchOf(template, request, { admin: actor, limit: this.limit, revision });
      const created = await insertUser(manager, username, batch, settings);
      if (!created) throw new ManagementError('USER_EXISTS');
      const after = userView(created, this.link);
      await recordAudit(manager, { action: 'user.create', target: `user/${after.username}`, after });
      return after;
    });
  }

  /**
   * Applies a template to a user. By the contract, a reset of the traffic here also deletes the history, unlike any
   * other reset.
   */
  modify(actor: Actor, username: string, { user_template_id, note }: UserByTemplate): Promise<UserView> {
    return this.changes.change(actor, username, 'modify', async (manager, user, now) => {
      const template = await this.templates.lockUsable(manager, user_template_id);
      await this.changes.replaceGroups(manager, user.id, template.groupIds);
      if (template.resetUsages) {
        await clearTraffic(manager, [user.id]);
        await this.usage.deleteHoursOfUser(manager, user.id);
      }
      await changeProxySettings(manager, [user.id], (settings) => withExtraSettings(settings, template.extraSettings));
      const columns = overwritten(template.resetUsages ? { ...user, usedTraffic: 0 } : user, template, now);
      return { ...columns, ...(note !== undefined && { note: note || null }) };
    });
  }

  async createMany(actor: Actor, { dry_run, ...request }: UsersFromTemplate): Promise<CreatedUsersView> {
    checkStrategy(request);
    if (dry_run) return { subscription_urls: [], created: await this.countMany(actor, request) };
    const created = await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const template = await this.templates.lockUsable(manager, request.user_template_id);
      const batch = batchOf(template, request, { admin: actor, limit: this.limit, revision });
      const made = await insertMany(manager, template, request, batch);
      const after = { ...request, affected_users: made.length };
      await recordAudit(manager, { action: 'user.bulk_create', target: 'users', after });
      return made;
    });
    const prefix = await subscriptionPrefix(this.database.manager, actor.id);
    const urls = created.map(({ id }) => this.link.urlOf({ userId: id, generation: 0 }, prefix));
    return { subscription_urls: urls, created: created.length };
  }

  /** How many users would be created. None is, also for a moment: each would take an id for good. */
  private countMany(actor: Actor, request: Omit<UsersFromTemplate, 'dry_run'>): Promise<number> {
    return rolledBack(this.database, async (manager) => {
      await lockRevision(manager);
      const template = await this.templates.lockUsable(manager, request.user_template_id);
      const names = namesOf(template, request);
      await this.limit.checkNew(manager, actor, names);
      return request.strategy === 'random' ? names.length : countNewNames(manager, names);
    });
  }
}

function batchOf(
  template: UsableTemplate,
  { note }: { note?: string | null },
  common: Pick<UserBatch, 'admin' | 'limit' | 'revision'>,
): UserBatch {
  const { dataLimit, dataLimitResetStrategy, groupIds, extraSettings } = template;
  return {
    ...common,
    ...termsFromTemplate(template, new Date()),
    dataLimit,
    dataLimitResetStrategy,
    groupIds,
    note: note || null,
    autoDeleteInDays: null,
    nextPlan: null,
    credentials: (fresh) => withExtraSettings(fresh, extraSettings),
  };
}

/** The columns of a user with the terms of a template; a user who has already used up the new limit is limited at once. */
function overwritten(user: StoredUser, template: UsableTemplate, now: Date) {
  const { usedTraffic } = user;
  const { dataLimit, dataLimitResetStrategy } = template;
  return {
    ...statusColumns(settleUserState({ ...termsFromTemplate(template, now), dataLimit, usedTraffic }, now)),
    dataLimit,
    dataLimitResetStrategy,
    nextResetAt: nextResetAt(user, template, now),
    editAt: now,
  };
}
