import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { newProxySettings, settleUserState } from '@rampart/domain';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import { lockRevision } from '../../database/revision.js';
import { ManagementError } from '../../errors/management-error.js';
import { GroupRepository } from '../../groups/group.repository.js';
import { checkVersion } from '../../http/version.js';
import { SubscriptionLink } from '../../keys/subscription-link.js';
import { type ChangedUser, replaceGroups, updateUser } from '../../user-store/change-user.js';
import { changeProxySettings } from '../../user-store/credentials/user-proxy-settings.js';
import type { StoredUser } from '../../user-store/entities/user.entity.js';
import { findUser, lockUser } from '../../user-store/find-user.js';
import { clearTraffic } from '../../user-store/life-cycle/clear-traffic.js';
import { beginNextPlan, beginNextPlans, checkNextPlan } from '../../user-store/life-cycle/next-plans.js';
import { markChanged } from '../../user-store/served/raise-revision.js';
import { findKnownUserRow, type KnownUserRow } from '../../user-store/user-row.js';
import { UserModify, type UserView } from '../view/user.dto.js';
import { userView } from '../view/user.view.js';
import { ChosenCredentials } from './chosen-credentials.js';
import { mergeProxySettings } from './merge-proxy-settings.js';
import { modifiedColumns, statusColumns } from './user-modification.js';

/** A change of one locked user. Returns the columns that are still to be written, or nothing. */
export type UserChange = (manager: EntityManager, user: StoredUser, now: Date) => Promise<ChangedUser | undefined>;

/** Whether the user has reached the end and has a plan, which may begin now. */
const awaitsNextPlan = ({ status, next_plan }: UserView): boolean =>
  next_plan !== null && (status === 'expired' || status === 'limited');

/** Changes existing users, one at a time. */
@Injectable()
export class UserChangeService {
  constructor(
    private readonly database: DataSource,
    private readonly groups: GroupRepository,
    private readonly link: SubscriptionLink,
    private readonly chosen: ChosenCredentials,
  ) {}

  modify(actor: Actor, username: string, request: UserModify): Promise<UserView> {
    const given = request.proxy_settings;
    const isNew = async () => {
      const { proxy_settings: stored } = userView(await findUser(this.database.manager, actor, username), this.link);
      return !isDeepStrictEqual(mergeProxySettings(stored, given ?? {}), stored);
    };
    return this.chosen.save(actor, given, isNew, () => this.modifyStored(actor, username, request));
  }

  /** Resets the traffic counter; a limited user is served again. */
  reset(actor: Actor, username: string): Promise<UserView> {
    return this.change(actor, username, 'reset', async (manager, user, now) => {
      await clearTraffic(manager, [user.id]);
      return statusColumns(settleUserState({ ...user, usedTraffic: 0 }, now));
    });
  }

  /** Revokes all links and credentials. The flow and the method of the user stay. */
  revokeSubscription(actor: Actor, username: string): Promise<UserView> {
    return this.change(actor, username, 'revoke', async (manager, user) => {
      await changeProxySettings(manager, [user.id], ({ vless: { flow }, shadowsocks: { method } }) =>
        newProxySettings(randomBytes, { flow, method }),
      );
      return { subscriptionGeneration: user.subscriptionGeneration + 1 };
    });
  }

  /** Begins the user's next plan now, whatever the status. */
  activateNextPlan(actor: Actor, username: string): Promise<UserView> {
    return this.change(actor, username, 'activate_next_plan', async (manager, user, now) => {
      await beginNextPlan(manager, user, now);
      return undefined;
    });
  }

  /**
   * Applies a change to a user, and begins the next plan if the user has reached the end. Nodes are told only when what
   * they know of the user changes.
   */
  change(actor: Actor, username: string, verb: string, change: UserChange): Promise<UserView> {
    return this.database.transaction(async (manager) => {
      const [, { row, user }] = await Promise.all([lockRevision(manager), lockUser(manager, actor, username)]);
      const before = this.known(row);
      checkVersion(before.view);
      const now = new Date();
      const columns = await change(manager, user, now);
      let after = this.known(await updateUser(manager, user.id, columns ?? {}));
      if (awaitsNextPlan(after.view)) {
        await beginNextPlans(manager, [user.id], now);
        after = this.known(await findKnownUserRow(manager, user.id));
      }
      if (after.known !== before.known || (await this.hasLeftChanging(manager, before.view, after.view)))
        await markChanged(manager, [user.id]);
      const target = `user/${username}`;
      await recordAudit(manager, { action: `user.${verb}`, target, before: before.view, after: after.view });
      return after.view;
    });
  }

  private modifyStored(actor: Actor, username: string, request: UserModify): Promise<UserView> {
    return this.change(actor, username, 'modify', async (manager, user, now) => {
      const columns = modifiedColumns(user, request, now);
      // A plan that is sent back with the stored template is accepted, even if the template was deleted or disabled
      // since.
      const { user_template_id } = columns.nextPlan ?? {};
      if (user_template_id !== user.nextPlan?.user_template_id) await checkNextPlan(manager, columns.nextPlan);
      const given = request.proxy_settings;
      if (given) await changeProxySettings(manager, [user.id], (settings) => mergeProxySettings(settings, given));
      if (request.group_ids !== undefined) await this.replaceGroups(manager, user.id, request.group_ids ?? []);
      return columns;
    });
  }

  /** Whether the user has left a group whose earlier grants nodes may still know. */
  private async hasLeftChanging(manager: EntityManager, before: UserView, after: UserView): Promise<boolean> {
    const left = before.group_ids.filter((id) => !after.group_ids.includes(id));
    return left.length > 0 && (await this.groups.changingAmong(manager, left)).length > 0;
  }

  /** The user as the API shows it, and what nodes know of it. */
  private known(row: KnownUserRow | undefined): { view: UserView; known: string } {
    if (!row) throw new ManagementError('USER_NOT_FOUND');
    return { view: userView(row, this.link), known: row.known_to_nodes };
  }

  async replaceGroups(manager: EntityManager, userId: number, groupIds: readonly number[]): Promise<void> {
    await this.groups.lockGroups(manager, groupIds);
    await replaceGroups(manager, userId, groupIds);
  }
}
