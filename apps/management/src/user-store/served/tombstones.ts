import type { DataSource } from 'typeorm';
import { counterValue } from '../../database/counters.js';

/**
 * Deletes tombstones that every node has heard of. A node that starts gets the full set of users anyway.
 *
 * @param followed the position of another reader of changes, which would have to read all users again after a gap
 */
export async function forgetTombstones(database: DataSource, followed?: bigint): Promise<void> {
  await database.query(
    `DELETE FROM user_tombstones WHERE revision <= least($1::bigint,
       coalesce((SELECT min(synced_revision) FROM nodes WHERE status <> 'disabled'), ${counterValue('revision')}))`,
    [followed?.toString()],
  );
}
