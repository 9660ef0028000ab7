import type { EntityManager } from 'typeorm';

/** The revision of the newest change of users that nodes must hear of; 0 when there never was one. */
export async function newestUserRevision(manager: EntityManager): Promise<bigint> {
  const [row] = await manager.query<{ newest: string }[]>(
    `SELECT greatest(
       coalesce((SELECT max(revision) FROM user_revisions), 0),
       coalesce((SELECT max(revision) FROM user_tombstones), 0),
       coalesce((SELECT max(revision) FROM probe_user), 0)
     ) AS newest`,
  );
  return BigInt(row?.newest ?? 0);
}
