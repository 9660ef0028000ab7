import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ADD_ADMIN_TRAFFIC } from '../admins/store/admin.repository.js';
import { currentUsageHour } from './usage-partitions.js';

/** Sums never exceed what a number holds exactly, whatever a node reports. */
const MAX_BYTES = Number.MAX_SAFE_INTEGER;

/** Traffic that one batch of a node reports. */
export interface NodeTraffic {
  nodeId: number;
  /** Multiplies what counts for users; the node's own counters stay raw. */
  coefficient: number;
  /** The moment when the node sealed the batch, in unix seconds; undefined: now. */
  sealedAt: bigint | undefined;
  bytesByUser: ReadonlyMap<number, bigint>;
  uplink: bigint;
  downlink: bigint;
}

// Rows are locked in the order of their ids, so two nodes that report the same users cannot block each other.
const ADD_USER_TRAFFIC = `
  WITH traffic AS (SELECT * FROM unnest($1::integer[], $2::numeric[]) AS batch (id, bytes)),
  locked AS (
    SELECT users.id, users.admin_id, least(round(traffic.bytes * $3::numeric), ${MAX_BYTES})::bigint AS bytes
    FROM users JOIN traffic ON traffic.id = users.id
    ORDER BY users.id FOR NO KEY UPDATE OF users
  ),
  counted AS (
    UPDATE users SET
      used_traffic = least(users.used_traffic + locked.bytes, ${MAX_BYTES}),
      online_at = least(greatest(users.online_at, to_timestamp($4)), now())
    FROM locked WHERE users.id = locked.id
  ),
  remembered AS (
    INSERT INTO node_user_usages AS known (user_id, hour, node_id, used_traffic)
    SELECT id, $5::timestamptz, $6::integer, bytes FROM locked WHERE bytes > 0
    ON CONFLICT (user_id, hour, node_id)
    DO UPDATE SET used_traffic = least(known.used_traffic + excluded.used_traffic, ${MAX_BYTES})
  )
  SELECT admin_id, sum(bytes) AS bytes FROM locked GROUP BY admin_id`;

const ADD_ADMIN_HOURS = `
  INSERT INTO admin_usages AS known (admin_id, hour, node_id, used_traffic)
  SELECT id, $3::timestamptz, $4::integer, least(bytes, ${MAX_BYTES})
  FROM unnest($1::integer[], $2::numeric[]) AS traffic (id, bytes) WHERE bytes > 0
  ON CONFLICT (admin_id, hour, node_id)
  DO UPDATE SET used_traffic = least(known.used_traffic + excluded.used_traffic, ${MAX_BYTES})`;

const ADD_NODE_HOUR = `
  INSERT INTO node_usages AS known (hour, node_id, uplink, downlink, used_traffic)
  VALUES ($1, $2, least($3::numeric, ${MAX_BYTES}), least($4::numeric, ${MAX_BYTES}), least($5::numeric, ${MAX_BYTES}))
  ON CONFLICT (hour, node_id) DO UPDATE SET
    uplink = least(known.uplink + excluded.uplink, ${MAX_BYTES}),
    downlink = least(known.downlink + excluded.downlink, ${MAX_BYTES}),
    used_traffic = least(known.used_traffic + excluded.used_traffic, ${MAX_BYTES})`;

/** The statements that record traffic: in the counters of users and admins, and in the history. */
@Injectable()
export class TrafficRepository {
  /**
   * Adds a batch to the counters of its users and their admins, and to the history of the hour in which it arrives. The
   * caller has locked the node's row, so nobody else writes into the hours of this node.
   */
  async recordTraffic(manager: EntityManager, traffic: NodeTraffic): Promise<void> {
    const { nodeId, coefficient, sealedAt, bytesByUser, uplink, downlink } = traffic;
    const hour = await currentUsageHour(manager);
    const sums = await manager.query<{ admin_id: number | null; bytes: string }[]>(ADD_USER_TRAFFIC, [
      [...bytesByUser.keys()],
      [...bytesByUser.values()].map(String),
      coefficient,
      sealedAt === undefined ? 'infinity' : sealedAt.toString(),
      hour,
      nodeId,
    ]);
    const owned = sums.filter(({ admin_id }) => admin_id !== null);
    const byAdmin = [owned.map(({ admin_id }) => admin_id), owned.map(({ bytes }) => bytes)];
    await manager.query(ADD_ADMIN_HOURS, [...byAdmin, hour, nodeId]);
    const used = sums.reduce((sum, { bytes }) => sum + BigInt(bytes), 0n);
    await manager.query(ADD_NODE_HOUR, [hour, nodeId, `${uplink}`, `${downlink}`, `${used}`]);
    // Last, because all nodes that serve users of one admin update the same row.
    await manager.query(ADD_ADMIN_TRAFFIC, byAdmin);
  }
}
