import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { newProxySettings, nodeEmail, type ProxySettings, usernameProblem } from '@rampart/domain';
import { DataSource, type EntityManager, type FindOptionsWhere, In, MoreThan } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { nextRevision } from '../database/revision.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { GroupService } from '../groups/group.service.js';
import type { PagedList } from '../http/json-list.js';
import { momentOf } from '../http/moment.js';
import { Page } from '../http/page.js';
import type { ProxySettingsInput } from './proxy-settings.dto.js';
import { SubscriptionLink } from './subscription-link.js';
import { UserCreate, type UserView } from './user.dto.js';
import { User } from './user.entity.js';
import { userView } from './user.view.js';
import { UserGroup } from './user-group.entity.js';
import { UserTombstone } from './user-tombstone.entity.js';

const PAGE_SIZE = 1000;

@Injectable()
export class UserService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupService,
    private readonly link: SubscriptionLink,
  ) {}

  async create(actor: Actor, request: UserCreate): Promise<UserView> {
    checkHold(request);
    const groupIds = [...new Set(request.group_ids)];
    const user = await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await this.groups.lockAll(manager, groupIds);
      const created = await manager.save(manager.create(User, { ...newUser(request), adminId: actor.id, revision }));
      await manager.insert(
        UserGroup,
        groupIds.map((groupId) => ({ userId: created.id, groupId })),
      );
      return created;
    });
    return this.get(actor, user.username);
  }

  async get(actor: Actor, username: string): Promise<UserView> {
    const user = await find(this.database.manager, actor, username);
    const groupIds = await this.groupIdsOf([user.id]);
    return userView(user, groupIds.get(user.id) ?? [], this.link);
  }

  async list(actor: Actor, page: Page): Promise<PagedList<UserView>> {
    const where = scopeOf(actor);
    return { total: await this.database.manager.countBy(User, where), pages: this.pages(where, page) };
  }

  async delete(actor: Actor, username: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const { id } = await find(manager, actor, username);
      await manager.insert(UserTombstone, { userId: id, email: nodeEmail(id, username), revision });
      await manager.delete(User, { id });
    });
  }

  /** Only the first page counts the offset off; the others start behind the last id. */
  private async *pages(where: FindOptionsWhere<User>, { offset, limit }: Page): AsyncGenerator<UserView[]> {
    let left = limit || Number.POSITIVE_INFINITY;
    let skip = offset ?? 0;
    for (let lastId = 0; left > 0; skip = 0) {
      const take = Math.min(PAGE_SIZE, left);
      const users = await this.database.manager.find(User, {
        where: { ...where, id: MoreThan(lastId) },
        relations: { admin: true },
        order: { id: 'ASC' },
        skip,
        take,
      });
      const groupIds = await this.groupIdsOf(users.map(({ id }) => id));
      yield users.map((user) => userView(user, groupIds.get(user.id) ?? [], this.link));
      if (users.length < take) return;
      left -= users.length;
      lastId = users.at(-1)?.id ?? lastId;
    }
  }

  private async groupIdsOf(userIds: readonly number[]): Promise<Map<number, number[]>> {
    const rows = await this.database.manager.find(UserGroup, {
      where: { userId: In([...userIds]) },
      order: { groupId: 'ASC' },
    });
    const groupIds = new Map<number, number[]>();
    for (const { userId, groupId } of rows) groupIds.set(userId, [...(groupIds.get(userId) ?? []), groupId]);
    return groupIds;
  }
}

const scopeOf = (actor: Actor): FindOptionsWhere<User> => (actor.isSudo ? {} : { adminId: actor.id });

async function find(manager: EntityManager, actor: Actor, username: string): Promise<User> {
  // A path can hold what no column can: such a name is nobody's.
  const known = usernameProblem(username) === undefined;
  const user = known && (await manager.findOne(User, { where: { username }, relations: { admin: true } }));
  if (!user) throw new ManagementError('USER_NOT_FOUND');
  if (!actor.isSudo && user.adminId !== actor.id) throw new ManagementError('FORBIDDEN');
  return user;
}

function checkHold({ status, expire, on_hold_expire_duration }: UserCreate): void {
  if (status !== 'on_hold') return;
  if (!on_hold_expire_duration) {
    throw invalidFields({ status: 'User cannot be on hold without a valid on_hold_expire_duration' });
  }
  if (expire) throw invalidFields({ status: 'User cannot be on hold with specified expire' });
}

function newUser(request: UserCreate): Partial<User> {
  const days = request.auto_delete_in_days ?? null;
  return {
    username: request.username,
    status: request.status ?? 'active',
    note: request.note || null,
    proxySettings: withGiven(newProxySettings(randomBytes), request.proxy_settings ?? {}),
    expire: momentOf(request.expire ?? null),
    dataLimit: request.data_limit ?? 0,
    dataLimitResetStrategy: request.data_limit_reset_strategy ?? 'no_reset',
    onHoldExpireDuration: request.on_hold_expire_duration || null,
    onHoldTimeout: momentOf(request.on_hold_timeout ?? null),
    autoDeleteInDays: days === null || days < 0 ? null : days,
  };
}

/** Each credential that is given replaces that one alone. */
function withGiven(settings: ProxySettings, given: ProxySettingsInput): ProxySettings {
  return {
    vmess: { id: given.vmess?.id ?? settings.vmess.id },
    vless: { id: given.vless?.id ?? settings.vless.id, flow: given.vless?.flow ?? settings.vless.flow },
    trojan: { password: given.trojan?.password ?? settings.trojan.password },
    shadowsocks: {
      password: given.shadowsocks?.password ?? settings.shadowsocks.password,
      method: given.shadowsocks?.method ?? settings.shadowsocks.method,
    },
  };
}
