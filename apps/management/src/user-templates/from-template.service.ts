import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  randomNames,
  sequenceNames,
  settled,
  templateUsername,
  usernameProblem,
  userTerms,
  withExtraSettings,
} from '@rampart/domain';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { nextRevision } from '../database/revision.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { insertUsers, type UserBatch } from '../users/insert-users.js';
import { SubscriptionLink } from '../users/subscription-link.js';
import type { UserView } from '../users/user.dto.js';
import type { User } from '../users/user.entity.js';
import { UserService } from '../users/user.service.js';
import { UserChangeService } from '../users/user-change.service.js';
import { statusColumns } from '../users/user-modification.js';
import { type CreatedUsersView, UserByTemplate, UserFromTemplate, UsersFromTemplate } from './from-template.dto.js';
import { type UsableTemplate, UserTemplateService } from './user-template.service.js';

/** Of 60 million names some are free after so many draws, or nearly all are taken. */
const MAX_DRAWS = 20;

@Injectable()
export class FromTemplateService {
  constructor(
    private readonly database: DataSource,
    private readonly templates: UserTemplateService,
    private readonly users: UserService,
    private readonly changes: UserChangeService,
    private readonly link: SubscriptionLink,
  ) {}

  async create(actor: Actor, request: UserFromTemplate): Promise<UserView> {
    const username = await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const template = await this.templates.lockUsable(manager, request.user_template_id);
      const names = finalNames(template, [request.username]);
      const [created] = await insertUsers(manager, names, batchOf(template, request, actor, revision));
      if (!created) throw new ManagementError('USER_EXISTS');
      return created.username;
    });
    return this.users.get(actor, username);
  }

  modify(actor: Actor, username: string, { user_template_id, note }: UserByTemplate): Promise<UserView> {
    return this.changes.change(actor, username, async (manager, user) => {
      const template = await this.templates.lockUsable(manager, user_template_id);
      await this.changes.replaceGroups(manager, user.id, template.groupIds);
      const traffic = template.resetUsages && (await this.changes.resetTraffic(manager, user));
      const columns = overwritten({ ...user, ...traffic }, template, new Date());
      return { ...traffic, ...columns, ...(note !== undefined && { note: note || null }) };
    });
  }

  async createMany(actor: Actor, request: UsersFromTemplate): Promise<CreatedUsersView> {
    checkStrategy(request);
    const created = await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const template = await this.templates.lockUsable(manager, request.user_template_id);
      const batch = batchOf(template, request, actor, revision);
      const { strategy, username, start_number, count } = request;
      if (strategy === 'random') return insertRandom(manager, template, count, batch);
      const names = sequenceNames(username ?? '', start_number ?? 1, count);
      return insertUsers(manager, finalNames(template, names), batch);
    });
    const urls = created.map(({ id }) => this.link.urlOf({ userId: id, generation: 0 }));
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
    ...userTerms(template, new Date()),
    dataLimit,
    dataLimitResetStrategy,
    groupIds,
    note: note || null,
    adminId: actor.id,
    revision,
    credentials: (fresh) => withExtraSettings(fresh, extraSettings),
  };
}

/** The template's terms in place of the user's own; whoever has used the new limit up is limited at once. */
function overwritten({ usedTraffic, proxySettings }: User, template: UsableTemplate, now: Date): Partial<User> {
  const { dataLimit, dataLimitResetStrategy, extraSettings } = template;
  return {
    ...statusColumns(settled({ ...userTerms(template, now), dataLimit, usedTraffic }, now)),
    dataLimit,
    dataLimitResetStrategy,
    proxySettings: withExtraSettings(proxySettings, extraSettings),
    editAt: now,
  };
}

/** A name that is taken is drawn again. */
async function insertRandom(
  manager: EntityManager,
  template: UsableTemplate,
  count: number,
  batch: UserBatch,
): Promise<{ id: number }[]> {
  const created: { id: number }[] = [];
  for (let draw = 0; created.length < count && draw < MAX_DRAWS; draw++) {
    const names = finalNames(template, randomNames(count - created.length, randomBytes));
    created.push(...(await insertUsers(manager, names, batch)));
  }
  return created;
}

function finalNames(template: UsableTemplate, names: readonly string[]): string[] {
  const usernames = names.map((name) => templateUsername(template, name));
  const problem = usernames.map(usernameProblem).find((text) => text !== undefined);
  if (problem) throw invalidFields({ username: problem });
  return usernames;
}

function checkStrategy({ strategy, username, start_number }: UsersFromTemplate): void {
  if (strategy === 'sequence') {
    if (!username) throw invalidFields({ username: "username is required when strategy is 'sequence'" });
    return;
  }
  if (username) throw invalidFields({ username: "username must be null when strategy is 'random'" });
  if (start_number !== undefined && start_number !== null) {
    throw invalidFields({ start_number: "start_number must be null when strategy is 'random'" });
  }
}
