import { MAX_INT32 } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { currentRevision, skipRevisions } from '../database/revision.js';

/** How many ids to skip: more than there are users made between two backups. */
const SKIPPED_IDS = 1_000_000;

/**
 * What a restored database must not do again, because others remember what happened after the backup:
 *
 * - Nodes have seen later revisions, and refuse older ones.
 * - Links, logins and the traffic that nodes report carry ids of users and admins who are not in the backup. A new user with
 *   such an id would get their traffic, and their old link would show the new user's credentials.
 */
export async function skipWhatOthersRemember(manager: EntityManager): Promise<void> {
  await skipRevisions(manager, await currentRevision(manager));
  for (const sequence of ['users_id_seq', 'admins_id_seq'])
    await manager.query(
      `SELECT setval($1::regclass, least(last_value + ${SKIPPED_IDS}, ${MAX_INT32})) FROM ${sequence}`,
      [sequence],
    );
}
