import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { HourSpan } from './usage.repository.js';

/** The hours of one node. */
export interface NodeHours extends HourSpan {
  readonly nodeId: number;
}

/** What was taken back from users or admins. */
export interface TakenBack {
  readonly ids: readonly number[];
  readonly bytes: bigint;
}

/** A history by hours, and the table whose counters it has been added to. */
interface CountedHistory {
  readonly hours: string;
  readonly owners: string;
  readonly owner: string;
  readonly resets: string;
}

const OF_USERS: CountedHistory = {
  hours: 'node_user_usages',
  owners: 'users',
  owner: 'user_id',
  resets: 'user_traffic_resets',
};
const OF_ADMINS: CountedHistory = {
  hours: 'admin_usages',
  owners: 'admins',
  owner: 'admin_id',
  resets: 'admin_traffic_resets',
};

/**
 * Deletes hours of a node (`$1`, from `$2`, before `$3`) of some owners (`$4`), and takes their bytes from the owners' counters:
 * from the present one what was counted since the last reset, the rest from the past. Of the hour of the reset, the present
 * counter holds no more than is left of it without the hours after that one.
 */
const takeBack = ({ hours, owners, owner, resets }: CountedHistory): string => `
  WITH gone AS (
    DELETE FROM ${hours} WHERE node_id = $1 AND hour >= $2 AND hour < $3 AND ${owner} = ANY ($4::integer[])
    RETURNING ${owner} AS id, hour, used_traffic
  ),
  reset AS (
    SELECT ${owner} AS id, max(reset_at) AS at, date_trunc('hour', max(reset_at), 'UTC') AS hour
    FROM ${resets} WHERE ${owner} = ANY ($4::integer[]) AND reset_at >= $2 GROUP BY ${owner}
  ),
  owned AS (
    SELECT gone.id, min(reset.hour) AS reset_hour, sum(used_traffic) AS bytes,
      coalesce(sum(used_traffic) FILTER (WHERE reset.hour IS NULL OR gone.hour > reset.hour), 0) AS since_reset,
      coalesce(sum(used_traffic) FILTER (WHERE gone.hour = reset.hour), 0) AS around_reset
    FROM gone LEFT JOIN reset ON reset.id = gone.id GROUP BY gone.id
  ),
  share AS (
    SELECT ${owners}.id, bytes, least(${owners}.used_traffic, since_reset + least(around_reset, CASE WHEN around_reset > 0
      THEN greatest(0, ${owners}.used_traffic - (SELECT coalesce(sum(later.used_traffic), 0) FROM ${hours} later
        WHERE later.${owner} = owned.id AND later.hour > owned.reset_hour)) ELSE 0 END)) AS present
    FROM owned JOIN ${owners} ON ${owners}.id = owned.id
  ),
  taken AS (
    UPDATE ${owners} SET used_traffic = ${owners}.used_traffic - share.present,
      past_traffic = greatest(0, ${owners}.past_traffic - (share.bytes - share.present))
    FROM share WHERE ${owners}.id = share.id
  )
  SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids, coalesce(sum(bytes), 0) AS bytes FROM share`;

const TAKE_BACK_FROM_USERS = takeBack(OF_USERS);
const TAKE_BACK_FROM_ADMINS = takeBack(OF_ADMINS);

/** The statements that take back recorded traffic: from the counters of users and admins, and from the history. */
@Injectable()
export class UsageRevertRepository {
  /** The beginning of the hour in which traffic may still be recorded: transactions may have begun in the hour before. */
  async openHour(manager: EntityManager): Promise<Date> {
    const [row] = await manager.query<{ hour: Date }[]>(
      `SELECT date_trunc('hour', now() - interval '10 minutes', 'UTC') AS hour`,
    );
    if (!row) throw new Error('the database returned no time');
    return row.hour;
  }

  /** Users with traffic through a node in some hours, in the order of their ids. */
  async findUsers(manager: EntityManager, hours: NodeHours, afterId: number, limit: number | null): Promise<number[]> {
    const rows = await manager.query<{ user_id: number }[]>(
      `SELECT DISTINCT user_id FROM node_user_usages
       WHERE node_id = $1 AND hour >= $2 AND hour < $3 AND user_id > $4 ORDER BY user_id LIMIT $5`,
      [...parametersOf(hours), afterId, limit],
    );
    return rows.map(({ user_id }) => user_id);
  }

  /** Users whom the caller has locked in the order of their ids. */
  takeBackFromUsers(manager: EntityManager, hours: NodeHours, ids: readonly number[]): Promise<TakenBack> {
    return this.takeBack(manager, TAKE_BACK_FROM_USERS, hours, ids);
  }

  /** Locks the admins in the order of their ids, as when traffic is recorded. */
  async takeBackFromAdmins(manager: EntityManager, hours: NodeHours): Promise<TakenBack> {
    const admins = await manager.query<{ id: number }[]>(
      `SELECT id FROM admins WHERE id IN (
         SELECT admin_id FROM admin_usages WHERE node_id = $1 AND hour >= $2 AND hour < $3)
       ORDER BY id FOR NO KEY UPDATE`,
      parametersOf(hours),
    );
    const ids = admins.map(({ id }) => id);
    const taken = await this.takeBack(manager, TAKE_BACK_FROM_ADMINS, hours, ids);
    const others = 'DELETE FROM admin_usages WHERE node_id = $1 AND hour >= $2 AND hour < $3';
    await manager.query(others, parametersOf(hours));
    return taken;
  }

  /** Deletes the hours of the node itself, and returns the raw bytes that they held. */
  async deleteNodeHours(manager: EntityManager, hours: NodeHours): Promise<{ uplink: bigint; downlink: bigint }> {
    const [sums] = await manager.query<{ uplink: string; downlink: string }[]>(
      `WITH gone AS (DELETE FROM node_usages WHERE node_id = $1 AND hour >= $2 AND hour < $3 RETURNING uplink, downlink)
       SELECT coalesce(sum(uplink), 0) AS uplink, coalesce(sum(downlink), 0) AS downlink FROM gone`,
      parametersOf(hours),
    );
    return { uplink: BigInt(sums?.uplink ?? 0), downlink: BigInt(sums?.downlink ?? 0) };
  }

  private async takeBack(
    manager: EntityManager,
    sql: string,
    hours: NodeHours,
    ids: readonly number[],
  ): Promise<TakenBack> {
    if (ids.length === 0) return { ids: [], bytes: 0n };
    const [taken] = await manager.query<{ ids: number[]; bytes: string }[]>(sql, [...parametersOf(hours), ids]);
    return { ids: taken?.ids ?? [], bytes: BigInt(taken?.bytes ?? 0) };
  }
}

const parametersOf = ({ nodeId, start, end }: NodeHours): [number, Date, Date] => [nodeId, start, end];
