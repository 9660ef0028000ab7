import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import type { Page } from '../../http/page.js';
import { findUser } from '../../user-store/find-user.js';
import { scopeOf } from '../../user-store/selection/user-where.js';
import { momentOf } from '../../validation/moment.js';
import type {
  ApplicationChart,
  ApplicationShare,
  SubscriptionUpdateList,
  UpdateFilter,
} from './subscription-update.dto.js';
import { SubscriptionUpdateRepository } from './subscription-update.repository.js';
import { SubscriptionUpdateRecorder } from './subscription-update-recorder.js';
import { KEPT_UPDATES } from './write-updates.js';

/** Clients choose their names, so there can be any number of them; the rest are counted together. */
const MAX_APPLICATIONS = 50;
const OTHER_APPLICATIONS = 'other';
@Injectable()
export class SubscriptionUpdateService {
  constructor(
    private readonly database: DataSource,
    private readonly updates: SubscriptionUpdateRepository,
    private readonly recorder: SubscriptionUpdateRecorder,
  ) {}

  /** Includes all that this replica has served. The others write what they serve at once, or within 3 s when it is much. */
  async ofUser(
    actor: Actor,
    username: string,
    { offset = 0, limit = KEPT_UPDATES }: Page,
  ): Promise<SubscriptionUpdateList> {
    const { id } = await findUser(this.database.manager, actor, username);
    await this.recorder.writeOf(id);
    const kept = await this.updates.findUpdatesOfUser(id);
    return { updates: kept.slice(offset, limit > 0 ? offset + limit : undefined), count: kept.length };
  }

  /** Which applications fetch subscriptions, counted over the stored fetches of each user. */
  async chart(actor: Actor, filter: UpdateFilter): Promise<ApplicationChart> {
    await this.recorder.write();
    const where = scopeOf(actor)
      .and('users.id = ?', filter.user_id)
      .and('users.username = ?', filter.username)
      .and('users.admin_id = ?', filter.admin_id)
      .and('at >= ?', momentOf(filter.start ?? null) ?? undefined)
      .and('at < ?', momentOf(filter.end ?? null) ?? undefined);
    const rows = await this.updates.countByApplication(where, MAX_APPLICATIONS);
    const total = rows[0]?.total ?? 0;
    const others = rows.reduce((rest, { count }) => rest - count, total);
    const counted = [...rows, ...(others > 0 ? [{ name: OTHER_APPLICATIONS, count: others }] : [])];
    return { total, segments: counted.map(({ name, count }) => share(name, count, total)) };
  }
}

const share = (name: string, count: number, total: number): ApplicationShare => ({
  name,
  count,
  percentage: Math.round((count / total) * 10_000) / 100,
});
