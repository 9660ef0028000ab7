import type { DataSource } from 'typeorm';

/**
 * Removes what remains of deleted users once every node has heard of them; a node that starts gets the full set anyway.
 *
 * @param followed up to where somebody else follows all changes, and would have to read everything anew after a gap
 */
export async function forgetTombstones(database: DataSource, followed?: bigint): Promise<void> {
  await database.query(
    `DELETE FROM user_tombstones WHERE revision <= least($1::bigint,
       coalesce((SELECT min(synced_revision) FROM nodes WHERE status <> 'disabled'), (SELECT value FROM counters WHERE name = 'revision')))`,
    [followed?.toString()],
  );
}
