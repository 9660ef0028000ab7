import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { CounterReading } from './counter-reading.entity.js';
import type { TrafficBytes } from './read-engine-counters.js';

/**
 * Stores the counters of a reading and returns by how much they have grown. A counter that is smaller than before began
 * anew, and so did all counters of a restarted engine ($5). Counters that are absent from the reading are deleted.
 */
const STORE_COUNTERS = `
  WITH reading AS (
    SELECT * FROM unnest($2::integer[], $3::bigint[], $4::bigint[]) AS now (user_id, uplink, downlink)
  ),
  changed AS (
    SELECT user_id, now.uplink, now.downlink,
      now.uplink - CASE WHEN $5 OR now.uplink < known.uplink THEN 0 ELSE coalesce(known.uplink, 0) END AS up,
      now.downlink - CASE WHEN $5 OR now.downlink < known.downlink THEN 0 ELSE coalesce(known.downlink, 0) END AS down
    FROM reading AS now
    FULL JOIN (SELECT * FROM user_counters WHERE node_id = $1) AS known USING (user_id)
    WHERE $5 OR (now.uplink, now.downlink) IS DISTINCT FROM (known.uplink, known.downlink)
  ),
  deleted AS (
    DELETE FROM user_counters USING changed
    WHERE node_id = $1 AND user_counters.user_id = changed.user_id AND changed.uplink IS NULL
  ),
  stored AS (
    INSERT INTO user_counters (node_id, user_id, uplink, downlink)
    SELECT $1, user_id, uplink, downlink FROM changed WHERE uplink IS NOT NULL
    ON CONFLICT (node_id, user_id) DO UPDATE SET uplink = excluded.uplink, downlink = excluded.downlink
  )
  SELECT user_id, up + down AS bytes FROM changed WHERE up + down > 0`;

/** The statements on the last readings of engine counters: one row for each node, and one for each user of a node. */
@Injectable()
export class CounterReadingRepository {
  findLastReading(manager: EntityManager, nodeId: number): Promise<CounterReading | null> {
    return manager.findOneBy(CounterReading, { nodeId });
  }

  async storeReading(manager: EntityManager, reading: CounterReading): Promise<void> {
    await manager.upsert(CounterReading, reading, ['nodeId']);
  }

  /**
   * @param users counters by user id
   * @param isRestarted the engine counts from zero again, so the stored counters do not continue
   * @returns bytes by user id, of users who had traffic since the last reading
   */
  async storeCounters(
    manager: EntityManager,
    nodeId: number,
    users: ReadonlyMap<number, TrafficBytes>,
    isRestarted: boolean,
  ): Promise<Map<number, bigint>> {
    const bytes = [...users.values()];
    const grown = await manager.query<{ user_id: number; bytes: string }[]>(STORE_COUNTERS, [
      nodeId,
      [...users.keys()],
      bytes.map(({ uplink }) => String(uplink)),
      bytes.map(({ downlink }) => String(downlink)),
      isRestarted,
    ]);
    return new Map(grown.map((row) => [row.user_id, BigInt(row.bytes)]));
  }

  /** Those of the users of whom no counter of the node is stored. */
  async withoutCounter(manager: EntityManager, nodeId: number, userIds: readonly number[]): Promise<number[]> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM unnest($2::integer[]) AS read (id)
       WHERE NOT EXISTS (SELECT FROM user_counters WHERE node_id = $1 AND user_id = id)`,
      [nodeId, userIds],
    );
    return rows.map(({ id }) => id);
  }

  async deleteReadings(manager: EntityManager, nodeId: number): Promise<void> {
    await manager.query('DELETE FROM counter_readings WHERE node_id = $1', [nodeId]);
    await manager.query('DELETE FROM user_counters WHERE node_id = $1', [nodeId]);
  }

  /** Deletes the readings of deleted nodes after ten minutes, within which their workers collect the last traffic. */
  async deleteReadingsOfDeletedNodes(database: DataSource): Promise<void> {
    await database.query(
      `WITH gone AS (
         DELETE FROM counter_readings
         WHERE read_at < now() - interval '10 minutes' AND NOT EXISTS (SELECT FROM nodes WHERE id = node_id)
         RETURNING node_id
       )
       DELETE FROM user_counters USING gone WHERE user_counters.node_id = gone.node_id`,
    );
  }
}
