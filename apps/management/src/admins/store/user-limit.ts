import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { preparedIn } from '../../database/prepared.js';
import { ManagementEnv } from '../../env/management-env.js';
import { ManagementError } from '../../errors/management-error.js';
import type { NewUserCheck } from '../../user-store/insert-users.js';
import { countOfNewNames, userCountOf } from '../../user-store/users-of-admin.js';

/** An admin may create twice as many users in a day as it may have, so that it can replace all, and so many in any case. */
const LEAST_IN_A_DAY = 10_000;
/** SQL: whether a day that began before is not over. */
const GOES_ON = `known.since > excluded.since - interval '1 day'`;

/**
 * Counts the new users with the names of `$4`, and finds an admin whose users would be too many with them, or with `$3` that it
 * is given, or who has created too many. Whoever is created takes an id, of which there are two billion, and is sent to nodes.
 */
const TOO_MANY = {
  name: 'user_limit',
  text: `WITH owner AS (
      SELECT id, username, coalesce(max_users, $2::integer)::bigint AS most, ${userCountOf('admins.id')} AS has
      FROM admins WHERE id = $1 AND NOT is_sudo
    ), coming AS (SELECT ${countOfNewNames('$4')} AS users), counted AS (
      INSERT INTO user_creations AS known (admin_id, since, users)
      SELECT owner.id, now(), coming.users FROM owner CROSS JOIN coming WHERE most > 0 AND coming.users > 0
      ON CONFLICT (admin_id) DO UPDATE SET
        users = CASE WHEN ${GOES_ON} THEN known.users ELSE 0 END + excluded.users,
        since = CASE WHEN ${GOES_ON} THEN known.since ELSE excluded.since END
      RETURNING users, since
    )
    SELECT username, most, has, most < has + $3::integer + coming.users AS "isFull", counted.users - coming.users AS made,
      ceil(extract(epoch FROM counted.since + interval '1 day' - now()))::integer AS seconds
    FROM owner CROSS JOIN coming LEFT JOIN counted ON true
    WHERE most > 0 AND (most < has + $3::integer + coming.users OR counted.users > greatest(2 * most, ${LEAST_IN_A_DAY}))`,
};

interface TooMany {
  readonly username: string;
  readonly most: string;
  readonly has: string;
  /** Whether it would have too many; else it has created too many. */
  readonly isFull: boolean;
  readonly made: string;
  /** Until the day is over. */
  readonly seconds: number;
}

/** How many users admins without sudo may have. Each way by which users come to an admin asks here. */
@Injectable()
export class UserLimit implements NewUserCheck {
  constructor(private readonly env: ManagementEnv) {}

  /**
   * Refuses new users whom an admin may not have; names that are taken do not count. The caller holds the revision counter, so
   * that no others come meanwhile.
   */
  async checkNew(manager: EntityManager, { id, isSudo }: Actor, names: readonly string[]): Promise<void> {
    if (id !== null && !isSudo) await this.check(manager, id, 0, names);
  }

  /** Refuses to give one more user to an admin who may not have it. The caller holds the revision counter. */
  async checkGiven(manager: EntityManager, adminId: number): Promise<void> {
    await this.check(manager, adminId, 1, []);
  }

  private async check(manager: EntityManager, adminId: number, given: number, names: readonly string[]): Promise<void> {
    const values = [adminId, this.env.adminUsers, given, names];
    const [found] = await preparedIn(manager)<TooMany>(TOO_MANY, values);
    if (!found) return;
    const { username, most, has, isFull, made, seconds } = found;
    if (isFull)
      throw new ManagementError('USER_LIMIT', `Admin ${username} may have at most ${most} users, and has ${has}`);
    const detail = `Admin ${username} has created ${made} users within a day: more would be too many, try again later`;
    throw new ManagementError('USERS_THROTTLED', detail, { 'retry-after': `${seconds}` });
  }
}
