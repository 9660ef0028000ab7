import { Injectable } from '@nestjs/common';
import { holdProblem, settleUserState, type UserState } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { UserLimit } from '../../admins/store/user-limit.js';
import { recordAudit } from '../../audit/record-audit.js';
import { lockRevision, nextRevision } from '../../database/revision.js';
import { invalidFields, ManagementError } from '../../errors/management-error.js';
import { GroupRepository } from '../../groups/group.repository.js';
import { checkVersion } from '../../http/version.js';
import { SubscriptionLink } from '../../keys/subscription-link.js';
import { readGeneralSettings } from '../../settings/stored-settings.js';
import { deleteUsers } from '../../user-store/delete-users.js';
import { nextPlanOf } from '../../user-store/entities/next-plan.dto.js';
import { findUser, lockUser } from '../../user-store/find-user.js';
import { insertUser, type UserBatch } from '../../user-store/insert-users.js';
import { checkNextPlan } from '../../user-store/life-cycle/next-plans.js';
import { UserWhere } from '../../user-store/selection/user-where.js';
import { momentOf } from '../../validation/moment.js';
import { UserCreate, type UserView } from '../view/user.dto.js';
import { userView } from '../view/user.view.js';
import { ChosenCredentials } from './chosen-credentials.js';
import { mergeProxySettings } from './merge-proxy-settings.js';
import { ownDays } from './user-modification.js';

@Injectable()
export class UserService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupRepository,
    private readonly link: SubscriptionLink,
    private readonly chosen: ChosenCredentials,
    private readonly limit: UserLimit,
  ) {}

  create(actor: Actor, request: UserCreate): Promise<UserView> {
    const isNew = () => Promise.resolve(true);
    return this.chosen.save(actor, request.proxy_settings, isNew, () => this.insert(actor, request));
  }

  async get(actor: Actor, username: string): Promise<UserView> {
    return userView(await findUser(this.database.manager, actor, username), this.link);
  }

  async delete(actor: Actor, username: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [, { row }] = await Promise.all([lockRevision(manager), lockUser(manager, actor, username)]);
      const before = userView(row, this.link);
      checkVersion(before);
      await deleteUsers(manager, new UserWhere().and('users.id = ?', row.id));
      await recordAudit(manager, { action: 'user.delete', target: `user/${username}`, before });
    });
  }

  private async insert(actor: Actor, request: UserCreate): Promise<UserView> {
    const terms = newUserTerms(request, new Date());
    return this.database.transaction(async (manager) => {
      const groupIds = [...new Set(request.group_ids)];
      const [revision, settings] = await Promise.all([
        nextRevision(manager),
        readGeneralSettings(manager),
        this.groups.lockGroups(manager, groupIds),
      ]);
      await checkNextPlan(manager, terms.nextPlan);
      const batch = { ...terms, groupIds, admin: actor, limit: this.limit, revision };
      const created = await insertUser(manager, request.username, batch, settings);
      if (!created) throw new ManagementError('USER_EXISTS');
      const after = userView(created, this.link);
      await recordAudit(manager, { action: 'user.create', target: `user/${created.username}`, after });
      return after;
    });
  }
}

function newUserTerms(request: UserCreate, now: Date): Omit<UserBatch, 'groupIds' | 'admin' | 'limit' | 'revision'> {
  const asked: UserState = {
    status: request.status ?? 'active',
    expire: momentOf(request.expire ?? null) ?? null,
    dataLimit: request.data_limit ?? 0,
    usedTraffic: 0,
    onHoldExpireDuration: request.on_hold_expire_duration || null,
    onHoldTimeout: momentOf(request.on_hold_timeout ?? null) ?? null,
  };
  const problem = holdProblem(asked);
  if (problem) throw invalidFields({ status: problem });
  return {
    ...settleUserState(asked, now),
    note: request.note || null,
    dataLimitResetStrategy: request.data_limit_reset_strategy ?? 'no_reset',
    autoDeleteInDays: ownDays(request.auto_delete_in_days ?? null),
    nextPlan: request.next_plan ? nextPlanOf(request.next_plan) : null,
    credentials: (fresh) => mergeProxySettings(fresh, request.proxy_settings ?? {}),
  };
}
