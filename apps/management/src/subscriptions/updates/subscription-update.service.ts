import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../auth/actor.js';
import { momentOf } from '../../http/moment.js';
import type { Page } from '../../http/page.js';
import { findUser } from '../../users/find-user.js';
import { scopeOf } from '../../users/user-where.js';
import type {
  ApplicationChart,
  ApplicationShare,
  SubscriptionUpdateList,
  UpdateFilter,
} from './subscription-update.dto.js';
import { SubscriptionUpdate } from './subscription-update.entity.js';
import { KEPT_UPDATES } from './write-updates.js';

/** Names come from whoever asks: there may be any number of them. */
const MOST_SEGMENTS = 50;
const OTHERS = 'other';
/** What stands before the version or a comment; nothing is a name too. */
const NAME = `coalesce(nullif(trim(substring(user_agent FROM '^[^/(;]*')), ''), 'unknown')`;

@Injectable()
export class SubscriptionUpdateService {
  constructor(private readonly database: DataSource) {}

  async ofUser(
    actor: Actor,
    username: string,
    { offset = 0, limit = KEPT_UPDATES }: Page,
  ): Promise<SubscriptionUpdateList> {
    const { manager } = this.database;
    const { id } = await findUser(manager, actor, username);
    const [found, count] = await manager.findAndCount(SubscriptionUpdate, {
      where: { userId: id },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: offset,
      ...(limit > 0 && { take: limit }),
    });
    const updates = found.map(({ createdAt, userAgent }) => ({
      created_at: createdAt.toISOString(),
      user_agent: userAgent,
    }));
    return { updates, count };
  }

  /** Which applications fetch, by the newest fetches of each user. */
  async chart(actor: Actor, filter: UpdateFilter): Promise<ApplicationChart> {
    const where = scopeOf(actor)
      .and('users.id = ?', filter.user_id)
      .and('users.username = ?', filter.username)
      .and('users.admin_id = ?', filter.admin_id)
      .and('updates.created_at >= ?', momentOf(filter.start ?? null) ?? undefined)
      .and('updates.created_at < ?', momentOf(filter.end ?? null) ?? undefined);
    const rows = await this.database.manager.query<{ name: string; count: number; total: number }[]>(
      // By whole texts first: they are few, and cutting names out of every row takes most of the time.
      `SELECT ${NAME} AS name, sum(fetches)::integer AS count, sum(sum(fetches)) OVER ()::integer AS total
       FROM (
         SELECT user_agent, count(*) AS fetches FROM user_subscription_updates updates
         ${where.isEmpty ? '' : 'JOIN users ON users.id = updates.user_id'}
         WHERE ${where.sql} GROUP BY user_agent
       ) counted
       GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MOST_SEGMENTS}`,
      where.parameters,
    );
    const total = rows[0]?.total ?? 0;
    const others = rows.reduce((rest, { count }) => rest - count, total);
    const counted = [...rows, ...(others > 0 ? [{ name: OTHERS, count: others }] : [])];
    return { total, segments: counted.map(({ name, count }) => share(name, count, total)) };
  }
}

const share = (name: string, count: number, total: number): ApplicationShare => ({
  name,
  count,
  percentage: Math.round((count / total) * 10_000) / 100,
});
