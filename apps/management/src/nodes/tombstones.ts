import type { DataSource } from 'typeorm';

/** Removes what remains of deleted users once every node has heard of them; a node that starts gets the full set anyway. */
export async function forgetTombstones(database: DataSource): Promise<void> {
  await database.query(
    `DELETE FROM user_tombstones WHERE revision <=
       coalesce((SELECT min(synced_revision) FROM nodes WHERE status <> 'disabled'), (SELECT value FROM counters WHERE name = 'revision'))`,
  );
}
