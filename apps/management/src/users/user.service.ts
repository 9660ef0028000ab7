import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { holdProblem, newProxySettings, nodeEmail, settled, type UserState } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { nextRevision } from '../database/revision.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { GroupService } from '../groups/group.service.js';
import { momentOf } from '../http/moment.js';
import { findUser } from './find-user.js';
import { withGiven } from './given-proxy-settings.js';
import { SubscriptionLink } from './subscription-link.js';
import { UserCreate, type UserView } from './user.dto.js';
import { User } from './user.entity.js';
import { USER_ROW, type UserRow, userView } from './user.view.js';
import { UserGroup } from './user-group.entity.js';
import { daysOrNever } from './user-modification.js';
import { UserTombstone } from './user-tombstone.entity.js';

@Injectable()
export class UserService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupService,
    private readonly link: SubscriptionLink,
  ) {}

  async create(actor: Actor, request: UserCreate): Promise<UserView> {
    const columns = newUser(request, new Date());
    const groupIds = [...new Set(request.group_ids)];
    const user = await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await this.groups.lockAll(manager, groupIds);
      const created = await manager.save(manager.create(User, { ...columns, adminId: actor.id, revision }));
      await manager.insert(
        UserGroup,
        groupIds.map((groupId) => ({ userId: created.id, groupId })),
      );
      return created;
    });
    return this.get(actor, user.username);
  }

  async get(actor: Actor, username: string): Promise<UserView> {
    const { manager } = this.database;
    const { id } = await findUser(manager, actor, username);
    const [row] = await manager.query<UserRow[]>(`SELECT ${USER_ROW} FROM users WHERE users.id = $1`, [id]);
    if (!row) throw new ManagementError('USER_NOT_FOUND');
    return userView(row, this.link);
  }

  async delete(actor: Actor, username: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const { id } = await findUser(manager, actor, username);
      await manager.insert(UserTombstone, { userId: id, email: nodeEmail(id, username), revision });
      await manager.delete(User, { id });
    });
  }
}

function newUser(request: UserCreate, now: Date): Partial<User> {
  const terms: UserState = {
    status: request.status ?? 'active',
    expire: momentOf(request.expire ?? null) ?? null,
    dataLimit: request.data_limit ?? 0,
    usedTraffic: 0,
    onHoldExpireDuration: request.on_hold_expire_duration || null,
    onHoldTimeout: momentOf(request.on_hold_timeout ?? null) ?? null,
  };
  const problem = holdProblem(terms);
  if (problem) throw invalidFields({ status: problem });
  return {
    ...settled(terms, now),
    username: request.username,
    note: request.note || null,
    proxySettings: withGiven(newProxySettings(randomBytes), request.proxy_settings ?? {}),
    dataLimitResetStrategy: request.data_limit_reset_strategy ?? 'no_reset',
    autoDeleteInDays: daysOrNever(request.auto_delete_in_days ?? null),
  };
}
