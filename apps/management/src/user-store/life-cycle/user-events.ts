import type { UserStatus } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { EVENTS_CHANNEL } from '../../change-events/change-event.js';

/** Above so many users, one event says that many have changed. */
const MAX_SINGLE_EVENTS = 100;

const ANNOUNCE = `
  WITH turned AS MATERIALIZED (
    SELECT username, admin_id, users.status FROM users
    JOIN unnest($1::integer[], $2::text[]) AS was (id, status) ON was.id = users.id WHERE users.status <> was.status
  ), counted AS (SELECT count(*) AS users FROM turned),
  event AS (
    SELECT username AS key, json_build_array(admin_id) AS owners, status FROM turned, counted WHERE users <= ${MAX_SINGLE_EVENTS}
    UNION ALL SELECT NULL, NULL, NULL FROM counted WHERE users > ${MAX_SINGLE_EVENTS}
  )
  SELECT pg_notify('${EVENTS_CHANNEL}', (json_strip_nulls(json_build_object('status', status))::jsonb ||
    jsonb_build_object('id', nextval('audit_entries_id_seq'), 'type', 'user', 'action', 'state', 'key', key,
      'owners', owners, 'by', NULL))::text) FROM event`;

/** Announces which users have another status than before, once the transaction has committed. */
export async function announceStates(
  manager: EntityManager,
  before: readonly { id: number; status: UserStatus }[],
): Promise<void> {
  if (before.length === 0) return;
  await manager.query(ANNOUNCE, [before.map(({ id }) => id), before.map(({ status }) => status)]);
}
