import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { newProxySettings, settled } from '@rampart/domain';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { lockRevision, nextRevision } from '../database/revision.js';
import { GroupService } from '../groups/group.service.js';
import { lockUser } from './find-user.js';
import { withGiven } from './given-proxy-settings.js';
import { knownToNodes } from './served-users.js';
import { storedProxySettings } from './stored-proxy-settings.js';
import { UserModify, type UserView } from './user.dto.js';
import { User } from './user.entity.js';
import { UserService } from './user.service.js';
import { modifiedColumns, statusColumns } from './user-modification.js';
import { UserTrafficReset } from './user-traffic-reset.entity.js';

/** What becomes of a user that exists. */
@Injectable()
export class UserChangeService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupService,
    private readonly users: UserService,
  ) {}

  modify(actor: Actor, username: string, request: UserModify): Promise<UserView> {
    return this.change(actor, username, async (manager, user) => {
      const columns = modifiedColumns(user, request, new Date());
      if (request.group_ids !== undefined) await this.replaceGroups(manager, user.id, request.group_ids ?? []);
      return columns;
    });
  }

  /** Traffic counts from zero again: who was limited is served again. */
  reset(actor: Actor, username: string): Promise<UserView> {
    return this.change(actor, username, async (manager, user) => {
      const traffic = await this.resetTraffic(manager, user);
      return { ...traffic, ...statusColumns(settled({ ...user, ...traffic }, new Date())) };
    });
  }

  /** Every link and every credential given out so far ends. How the user connects stays: its flow and its method. */
  revokeSubscription(actor: Actor, username: string): Promise<UserView> {
    return this.change(actor, username, async (_manager, { proxySettings, subscriptionGeneration }) => {
      const { vless, shadowsocks } = storedProxySettings(proxySettings);
      const kept = { vless: { flow: vless.flow }, shadowsocks: { method: shadowsocks.method } };
      return {
        proxySettings: withGiven(newProxySettings(randomBytes), kept),
        subscriptionGeneration: subscriptionGeneration + 1,
      };
    });
  }

  /** Nodes hear of it only when it changes what they know of the user. */
  async change(
    actor: Actor,
    username: string,
    columnsOf: (manager: EntityManager, user: User) => Promise<Partial<Omit<User, 'admin'>>>,
  ): Promise<UserView> {
    await this.database.transaction(async (manager) => {
      await lockRevision(manager);
      const user = await lockUser(manager, actor, username);
      const before = await knownToNodes(manager, user.id);
      await manager.update(User, { id: user.id }, await columnsOf(manager, user));
      if ((await knownToNodes(manager, user.id)) === before) return;
      await manager.update(User, { id: user.id }, { revision: await nextRevision(manager) });
    });
    return this.users.get(actor, username);
  }

  /** The counters of a user that starts anew; what it has used goes to the log. */
  async resetTraffic(
    manager: EntityManager,
    { id, usedTraffic, pastTraffic }: User,
  ): Promise<Pick<User, 'usedTraffic' | 'pastTraffic'>> {
    await manager.insert(UserTrafficReset, { userId: id, usedTraffic });
    return { usedTraffic: 0, pastTraffic: Math.min(pastTraffic + usedTraffic, Number.MAX_SAFE_INTEGER) };
  }

  async replaceGroups(manager: EntityManager, userId: number, groupIds: readonly number[]): Promise<void> {
    await this.groups.lockAll(manager, groupIds);
    await manager.query('DELETE FROM user_groups WHERE user_id = $1 AND group_id <> ALL ($2::integer[])', [
      userId,
      groupIds,
    ]);
    await manager.query(
      `INSERT INTO user_groups (user_id, group_id) SELECT DISTINCT $1::integer, unnest($2::integer[])
       ON CONFLICT DO NOTHING`,
      [userId, groupIds],
    );
  }
}
