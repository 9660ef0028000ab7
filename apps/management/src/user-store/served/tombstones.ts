import type { DataSource } from 'typeorm';
import { counterValue } from '../../database/counters.js';

/**
 * Removes what remains of deleted users once every node has heard of them; a node that starts gets the full set anyway.
 *
 * @param followed up to where somebody else follows all changes, and would have to read everything anew after a gap
 */
export async function forgetTombstones(database: DataSource, followed?: bigint): Promise<void> {
  await database.query(
    `DELETE FROM user_tombstones WHERE revision <= least($1::bigint,
       coalesce((SELECT min(synced_revision) FROM nodes WHERE status <> 'disabled'), ${counterValue('revision')}))`,
    [followed?.toString()],
  );
}
