import { MAX_INT32, type ProxySettings } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { lockRevision, nextRevision } from '../../database/revision.js';

/** Rounds of probes that can run at once: each has a user of its own, in a row of `probe_user`. */
export const MAX_PROBE_USERS = 16;

/**
 * How nodes know the users of probes, whose rows have the numbers from 0. No row of `users` reaches these ids, so what they
 * transfer counts for nobody.
 */
export const PROBE_USER = { firstId: MAX_INT32 - MAX_PROBE_USERS + 1, lastId: MAX_INT32, username: 'probe' } as const;

export interface ServedProbeUser {
  readonly proxySettings: ProxySettings;
  /** A node that has this revision has the user, which no other user of probes has. */
  readonly revision: bigint;
}

/**
 * Has nodes with any of these inbounds serve a user of probes for some time. The caller's transaction begins with this.
 * Returns undefined where too many are served.
 */
export async function serveProbeUser(
  manager: EntityManager,
  inboundTags: readonly string[],
  seconds: number,
  proxySettings: ProxySettings,
): Promise<ServedProbeUser | undefined> {
  await lockRevision(manager);
  const [free] = await manager.query<{ id: number }[]>(
    'SELECT id FROM probe_user WHERE expires_at IS NULL ORDER BY id LIMIT 1',
  );
  if (!free) return undefined;
  const revision = await nextRevision(manager);
  await manager.query(
    `UPDATE probe_user SET revision = $1, inbound_tags = $2, proxy_settings = $3,
       expires_at = now() + make_interval(secs => $4)
     WHERE id = $5`,
    [revision.toString(), inboundTags, JSON.stringify(proxySettings), seconds, free.id],
  );
  return { proxySettings, revision };
}

/** Has nodes serve a user of probes for longer, unless its time is over. */
export async function extendProbeUser(manager: EntityManager, revision: bigint, seconds: number): Promise<void> {
  await manager.query(
    `UPDATE probe_user SET expires_at = greatest(expires_at, now() + make_interval(secs => $2))
     WHERE revision = $1 AND expires_at > now()`,
    [revision.toString(), seconds],
  );
}

/** Whether the time of a user of probes is over, and nodes still have it. */
export async function isProbeUserOver(manager: EntityManager): Promise<boolean> {
  const rows = await manager.query<object[]>('SELECT FROM probe_user WHERE expires_at <= now()');
  return rows.length > 0;
}

/** Whether nodes that run inbounds of its probes have a user of probes. */
export async function isProbeUserServed(manager: EntityManager): Promise<boolean> {
  const rows = await manager.query<object[]>('SELECT FROM probe_user WHERE expires_at IS NOT NULL');
  return rows.length > 0;
}

/** Has nodes remove a user of probes, and those whose time is over, and forgets their credentials. */
export async function endProbeUsers(manager: EntityManager, revision = 0n): Promise<void> {
  await lockRevision(manager);
  const ended = await manager.query<{ id: number }[]>(
    'SELECT id FROM probe_user WHERE expires_at <= now() OR (revision = $1 AND expires_at IS NOT NULL)',
    [revision.toString()],
  );
  if (ended.length === 0) return;
  await manager.query(
    `UPDATE probe_user SET revision = $1, inbound_tags = '{}', proxy_settings = NULL, expires_at = NULL
     WHERE id = ANY ($2::smallint[])`,
    [(await nextRevision(manager)).toString(), ended.map(({ id }) => id)],
  );
}
