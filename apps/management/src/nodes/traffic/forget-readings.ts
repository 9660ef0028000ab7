import type { DataSource } from 'typeorm';

/** Removes what was read of nodes that are gone, once their workers have taken leave of them. */
export async function forgetReadings(database: DataSource): Promise<void> {
  await database.query(
    `WITH gone AS (
       DELETE FROM counter_readings
       WHERE read_at < now() - interval '10 minutes' AND NOT EXISTS (SELECT FROM nodes WHERE id = node_id)
       RETURNING node_id
     )
     DELETE FROM user_counters USING gone WHERE user_counters.node_id = gone.node_id`,
  );
}
