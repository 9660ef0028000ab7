import type { EntityManager } from 'typeorm';
import { ManagementError } from '../errors/management-error.js';

/** Where a host names the one through which its download goes. */
const DOWNLOAD = `transport_settings #>> '{xhttp_settings,download_settings}'`;
/** As an id; null where the row is damaged. */
const DOWNLOAD_ID = `CASE WHEN ${DOWNLOAD} ~ '^[0-9]{1,10}$' THEN (${DOWNLOAD})::bigint END`;

type Problem = 'DOWNLOAD_HOST_NOT_FOUND' | 'DOWNLOAD_HOST_SELF' | 'DOWNLOAD_HOST_NESTED';

/**
 * Refuses changed hosts whose download host is missing, is themselves, or leads on to a third. Called behind the
 * changes; they hold the counter of the configuration, so that the others stay as they are until commit.
 */
export async function checkDownloadHosts(manager: EntityManager, changed: readonly number[]): Promise<void> {
  const [found] = await manager.query<{ problem: Problem }[]>(
    `WITH links AS (SELECT id, ${DOWNLOAD_ID} AS target FROM hosts),
     checked AS (
       SELECT link.id, CASE
         WHEN link.target = link.id THEN 'DOWNLOAD_HOST_SELF'
         WHEN target.id IS NULL THEN 'DOWNLOAD_HOST_NOT_FOUND'
         WHEN target.target IS NOT NULL OR link.id IN (SELECT target FROM links) THEN 'DOWNLOAD_HOST_NESTED'
       END AS problem
       FROM links link LEFT JOIN links target ON target.id = link.target
       WHERE link.target IS NOT NULL AND link.id = ANY($1)
     )
     SELECT problem FROM checked WHERE problem IS NOT NULL ORDER BY id LIMIT 1`,
    [changed],
  );
  if (found) throw new ManagementError(found.problem);
}

/** Hosts whose download host goes get along without. */
export async function clearDownloadHost(manager: EntityManager, id: number): Promise<void> {
  await manager.query(
    `UPDATE hosts SET transport_settings = (transport_settings::jsonb #- '{xhttp_settings,download_settings}')::json
     WHERE ${DOWNLOAD} = $1`,
    [String(id)],
  );
}
