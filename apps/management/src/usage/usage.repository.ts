import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ADMIN_IDS_OF_NAMES } from '../admins/store/admin-ids.js';
import type { UsageRange } from './usage-range.js';

/** A table of the history, and the rows of it that count. */
export interface UsageSource {
  table: 'node_user_usages' | 'admin_usages' | 'node_usages';
  /** Columns whose sums are returned. */
  columns: readonly string[];
  condition?: UsageCondition;
}

/** A condition in SQL, whose parameter is `$4`. */
export interface UsageCondition {
  sql: string;
  parameter: unknown;
}

/** The sums of the columns of a source in one period. */
export interface UsageRow {
  /** -1 for all nodes together. */
  node_id: number;
  period_start: Date;
  sums: number[];
}

/** Hours that begin in [start, end). */
export interface HourSpan {
  start: Date;
  end: Date;
}

const ALL_NODES = -1;

/** The rows of one user. */
export const ofUser = (id: number): UsageCondition => ({ sql: 'user_id = $4', parameter: id });

/** The rows of admins of these names. */
export const ofAdmins = (usernames: readonly string[]): UsageCondition => ({
  sql: `admin_id IN (${ADMIN_IDS_OF_NAMES.replace('?', '$4')})`,
  parameter: usernames,
});

/** The statements that read and delete history. It is written by TrafficRepository. */
@Injectable()
export class UsageRepository {
  /** Periods without traffic are omitted. */
  sumUsage(
    manager: EntityManager,
    { table, columns, condition }: UsageSource,
    range: UsageRange,
    { nodeId, byNode }: { nodeId: number | undefined; byNode: boolean },
  ): Promise<UsageRow[]> {
    // As float8, sums beyond what a number holds exactly are rounded, which is the best possible answer.
    const sums = columns.map((column) => `sum(${column})`).join(', ');
    return manager.query(
      `SELECT ${byNode ? 'node_id' : ALL_NODES} AS node_id, ${periodStart(range)} AS period_start,
         ARRAY[${sums}]::float8[] AS sums
       FROM ${table}
       WHERE hour >= $1 AND hour < $2 AND ($3::integer IS NULL OR node_id = $3)
         AND ${condition?.sql ?? 'true'}
       GROUP BY 1, 2 HAVING greatest(${sums}) > 0 ORDER BY 1, 2`,
      [range.start, range.end, nodeId ?? null, ...(condition ? [condition.parameter] : [])],
    );
  }

  /** Deletes what a user has used hour by hour. */
  async deleteHoursOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM node_user_usages WHERE user_id = $1', [userId]);
  }

  /** Deletes what users used. Recording traffic waits meanwhile; readers wait only for whole days. */
  async deleteUserHours(manager: EntityManager, { start, end }: HourSpan): Promise<void> {
    await manager.query('LOCK TABLE node_user_usages, admin_usages, node_usages IN EXCLUSIVE MODE');
    await manager.query('SELECT empty_usage_days($1, $2)', [start, end]);
    await manager.query('DELETE FROM node_user_usages WHERE hour >= $1 AND hour < $2', [start, end]);
    await manager.query('DELETE FROM admin_usages WHERE hour >= $1 AND hour < $2', [start, end]);
    await manager.query('UPDATE node_usages SET used_traffic = 0 WHERE hour >= $1 AND hour < $2', [start, end]);
  }

  /** Clears what nodes transferred; what users used through them stays. */
  async clearNodeHours(manager: EntityManager, { start, end }: HourSpan): Promise<void> {
    await manager.query('UPDATE node_usages SET uplink = 0, downlink = 0 WHERE hour >= $1 AND hour < $2', [start, end]);
  }

  /** Deletes the oldest day or, where no user has an older one, a day of sums. Returns whether it deleted anything. */
  async deleteOldestDay(manager: EntityManager, limit: Date): Promise<boolean> {
    const [day] = await manager.query<{ dropped: boolean }[]>('SELECT drop_usage_day($1) AS dropped', [limit]);
    if (day?.dropped) return true;
    const deleted = await deleteOldestSums(manager, 'admin_usages', limit);
    return deleted || (await deleteOldestSums(manager, 'node_usages', limit));
  }
}

async function deleteOldestSums(manager: EntityManager, table: string, limit: Date): Promise<boolean> {
  const [, deleted] = await manager.query<[unknown[], number]>(
    `DELETE FROM ${table} WHERE hour < least($1, (SELECT min(hour) FROM ${table}) + interval '1 day')`,
    [limit],
  );
  return deleted > 0;
}

/** History is kept by hours of UTC, so where local hours begin at another minute, they are those of UTC. */
function periodStart({ period, offset }: UsageRange): string {
  if (period === 'minute' || period === 'hour') return 'hour';
  const zone = `make_interval(mins => ${offset})`;
  return `date_trunc('${period}', hour AT TIME ZONE ${zone}) AT TIME ZONE ${zone}`;
}
