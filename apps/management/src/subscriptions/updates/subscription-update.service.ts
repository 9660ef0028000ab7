import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { isoText } from '../../database/iso-text.js';
import type { Page } from '../../http/page.js';
import { findUser } from '../../user-store/find-user.js';
import { scopeOf } from '../../user-store/user-where.js';
import { momentOf } from '../../validation/moment.js';
import type {
  ApplicationChart,
  ApplicationShare,
  SubscriptionUpdateList,
  SubscriptionUpdateView,
  UpdateFilter,
} from './subscription-update.dto.js';
import { SubscriptionUpdateRecorder } from './subscription-update-recorder.js';
import { KEPT_UPDATES } from './write-updates.js';

/** Names come from whoever asks: there may be any number of them. */
const MOST_SEGMENTS = 50;
const OTHERS = 'other';
/** What stands before the version or a comment; nothing is a name too. */
const NAME = `coalesce(nullif(trim(substring(user_agent FROM '^[^/(;]*')), ''), 'unknown')`;

/** SQL: each of the fetches in a row of `updates`. */
const FETCHES = `LATERAL unnest(updates.user_agents, updates.fetched_at) WITH ORDINALITY
  AS fetches (user_agent, at, place)`;

@Injectable()
export class SubscriptionUpdateService {
  constructor(
    private readonly database: DataSource,
    private readonly recorder: SubscriptionUpdateRecorder,
  ) {}

  /** With all that this replica has answered; what another one has not written yet follows within seconds. */
  async ofUser(
    actor: Actor,
    username: string,
    { offset = 0, limit = KEPT_UPDATES }: Page,
  ): Promise<SubscriptionUpdateList> {
    const { manager } = this.database;
    const { id } = await findUser(manager, actor, username);
    await this.recorder.writeOf(id);
    const kept = await manager.query<SubscriptionUpdateView[]>(
      `SELECT ${isoText('at')} AS created_at, user_agent
       FROM user_subscription_updates updates CROSS JOIN ${FETCHES} WHERE user_id = $1 ORDER BY place`,
      [id],
    );
    return { updates: kept.slice(offset, limit > 0 ? offset + limit : undefined), count: kept.length };
  }

  /** Which applications fetch, by the newest fetches of each user. */
  async chart(actor: Actor, filter: UpdateFilter): Promise<ApplicationChart> {
    await this.recorder.write();
    const where = scopeOf(actor)
      .and('users.id = ?', filter.user_id)
      .and('users.username = ?', filter.username)
      .and('users.admin_id = ?', filter.admin_id)
      .and('at >= ?', momentOf(filter.start ?? null) ?? undefined)
      .and('at < ?', momentOf(filter.end ?? null) ?? undefined);
    const rows = await this.database.manager.query<{ name: string; count: number; total: number }[]>(
      // By whole texts first: they are few, and cutting names out of every row takes most of the time.
      `SELECT ${NAME} AS name, sum(number)::integer AS count, sum(sum(number)) OVER ()::integer AS total
       FROM (
         SELECT user_agent, count(*) AS number FROM user_subscription_updates updates CROSS JOIN ${FETCHES}
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
