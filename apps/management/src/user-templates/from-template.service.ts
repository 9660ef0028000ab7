import { Injectable } from '@nestjs/common';
import { settleUserState, termsFromTemplate, withExtraSettings } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { nextRevision } from '../database/revision.js';
import { ManagementError } from '../errors/management-error.js';
import { SubscriptionLink } from '../keys/subscription-link.js';
import { subscriptionPrefix } from '../settings/subscription-prefix.js';
import { clearUserHistory } from '../usage/clear-user-history.js';
import { changeProxySettings } from '../user-store/credentials/user-proxy-settings.js';
import type { User } from '../user-store/entities/user.entity.js';
import { insertUsers, type UserBatch } from '../user-store/insert-users.js';
import { clearTraffic } from '../user-store/life-cycle/clear-traffic.js';
import { nextResetAt } from '../user-store/life-cycle/next-reset-at.js';
import { UserChangeService } from '../users/change/user-change.service.js';
import { statusColumns } from '../users/change/user-modification.js';
import type { UserView } from '../users/view/user.dto.js';
import { findUserView } from '../users/view/user.view.js';
import { type CreatedUsersView, UserByTemplate, UserFromTemplate, UsersFromTemplate } from './from-template.dto.js';
import { checkStrategy, finalNames, insertMany } from './insert-from-template.js';
import { type UsableTemplate, UserTemplateService } from './user-template.service.js';

@Injectable()
export class FromTemplateService {
  constructor(
    private readonly database: DataSource,
    private readonly templates: UserTemplateService,
    private readonly changes: UserChangeService,
    private readonly link: SubscriptionLink,
  ) {}

  create(actor: Actor, request: UserFromTemplate): Promise<UserView> {
    return this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const template = await this.templates.lockUsable(manager, request.user_template_id);
      const names = finalNames(template, [request.username]);
      const [created] = await insertUsers(manager, names, batchOf(template, request, actor, revision));
      if (!created) throw new ManagementError('USER_EXISTS');
      const after = await findUserView(manager, created.id, this.link);
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
        await clearUserHistory(manager, user.id);
      }
      await changeProxySettings(manager, [user.id], (settings) => withExtraSettings(settings, template.extraSettings));
      const columns = overwritten(template.resetUsages ? { ...user, usedTraffic: 0 } : user, template, now);
      return { ...columns, ...(note !== undefined && { note: note || null }) };
    });
  }

  async createMany(actor: Actor, request: UsersFromTemplate): Promise<CreatedUsersView> {
    checkStrategy(request);
    const created = await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const template = await this.templates.lockUsable(manager, request.user_template_id);
      const batch = batchOf(template, request, actor, revision);
      const made = await insertMany(manager, template, request, batch);
      const after = { ...request, affected_users: made.length };
      await recordAudit(manager, { action: 'user.bulk_create', target: 'users', after });
      return made;
    });
    const prefix = await subscriptionPrefix(this.database.manager, actor.id);
    const urls = created.map(({ id }) => this.link.urlOf({ userId: id, generation: 0 }, prefix));
    return { subscription_urls: urls, created: created.length };
  }
}

function batchOf(
  template: UsableTemplate,
  { note }: { note?: string | null },
  actor: Actor,
  revision: bigint,
): UserBatch {
  const { dataLimit, dataLimitResetStrategy, groupIds, extraSettings } = template;
  return {
    ...termsFromTemplate(template, new Date()),
    dataLimit,
    dataLimitResetStrategy,
    groupIds,
    note: note || null,
    autoDeleteInDays: null,
    nextPlan: null,
    adminId: actor.id,
    revision,
    credentials: (fresh) => withExtraSettings(fresh, extraSettings),
  };
}

/** The columns of a user with the terms of a template; a user who has already used up the new limit is limited at once. */
function overwritten(user: User, template: UsableTemplate, now: Date) {
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
