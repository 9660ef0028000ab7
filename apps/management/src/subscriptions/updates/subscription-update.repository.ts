import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isoText } from '../../database/iso-text.js';
import type { UserWhere } from '../../user-store/selection/user-where.js';
import type { SubscriptionUpdateView } from './subscription-update.dto.js';

/** SQL: each of the fetches in a row of `updates`. */
const FETCHES = `LATERAL unnest(updates.user_agents, updates.fetched_at) WITH ORDINALITY
  AS fetches (user_agent, at, place)`;
/** SQL: the part of a User-Agent before its version or comment; an empty User-Agent is called `unknown`. */
const APPLICATION = `coalesce(nullif(trim(substring(user_agent FROM '^[^/(;]*')), ''), 'unknown')`;

/** The fetches of one application. */
export interface ApplicationCount {
  name: string;
  count: number;
  /** The fetches of all applications, which is the same in every row. */
  total: number;
}

/** Statements that read who has fetched subscriptions; `writeUpdates` writes it. */
@Injectable()
export class SubscriptionUpdateRepository {
  constructor(private readonly database: DataSource) {}

  /** The stored fetches of a user, newest first. */
  findUpdatesOfUser(userId: number): Promise<SubscriptionUpdateView[]> {
    return this.database.manager.query(
      `SELECT ${isoText('at')} AS created_at, user_agent
       FROM user_subscription_updates updates CROSS JOIN ${FETCHES} WHERE user_id = $1 ORDER BY place`,
      [userId],
    );
  }

  /**
   * Counts the stored fetches by application, the most frequent first.
   *
   * @param where conditions on `users` and on the moment `at` of a fetch
   */
  countByApplication(where: UserWhere, limit: number): Promise<ApplicationCount[]> {
    return this.database.manager.query(
      // Whole User-Agents are grouped first: there are few, and extracting the name from every row takes most of the time.
      `SELECT ${APPLICATION} AS name, sum(number)::integer AS count, sum(sum(number)) OVER ()::integer AS total
       FROM (
         SELECT user_agent, count(*) AS number FROM user_subscription_updates updates CROSS JOIN ${FETCHES}
         ${where.isEmpty ? '' : 'JOIN users ON users.id = updates.user_id'}
         WHERE ${where.sql} GROUP BY user_agent
       ) counted
       GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}`,
      where.parameters,
    );
  }
}
