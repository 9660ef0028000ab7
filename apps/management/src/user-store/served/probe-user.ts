import { MAX_INT32, type ProxySettings } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { lockRevision, nextRevision } from '../../database/revision.js';
import { storedProxySettings } from '../credentials/stored-proxy-settings.js';

/** How nodes know the user of probes. No row of `users` reaches this id, so what it transfers counts for nobody. */
export const PROBE_USER = { id: MAX_INT32, username: 'probe' } as const;

export interface ServedProbeUser {
  readonly proxySettings: ProxySettings;
  /** A node that has this revision has the user. */
  readonly revision: bigint;
}

/**
 * Has nodes serve the user of probes for some time. It keeps its credentials while it is served, because other rounds use
 * them, and has new ones else. The caller's transaction begins with this.
 */
export async function serveProbeUser(
  manager: EntityManager,
  inboundTags: readonly string[],
  seconds: number,
  newSettings: () => ProxySettings,
): Promise<ServedProbeUser> {
  await lockRevision(manager);
  const [served] = await manager.query<{ revision: string; proxy_settings: unknown; is_same: boolean }[]>(
    `SELECT revision, proxy_settings, inbound_tags = $1 AS is_same FROM probe_user WHERE expires_at > now()`,
    [inboundTags],
  );
  const proxySettings = served ? storedProxySettings(served.proxy_settings) : newSettings();
  const revision = served?.is_same ? BigInt(served.revision) : await nextRevision(manager);
  await manager.query(
    `UPDATE probe_user SET revision = $1, inbound_tags = $2, proxy_settings = $3,
       expires_at = greatest(expires_at, now() + make_interval(secs => $4))`,
    [revision.toString(), inboundTags, JSON.stringify(proxySettings), seconds],
  );
  return { proxySettings, revision };
}

/** Has nodes serve the user of probes for longer, unless its time is over. */
export async function extendProbeUser(manager: EntityManager, seconds: number): Promise<void> {
  await manager.query(
    `UPDATE probe_user SET expires_at = greatest(expires_at, now() + make_interval(secs => $1))
     WHERE expires_at > now()`,
    [seconds],
  );
}

/** Whether the time of the user of probes is over, and nodes still have it. */
export async function isProbeUserOver(manager: EntityManager): Promise<boolean> {
  const rows = await manager.query<object[]>('SELECT FROM probe_user WHERE expires_at <= now()');
  return rows.length > 0;
}

/** Whether nodes that run all inbounds of its probes have the user of probes. */
export async function isProbeUserServed(manager: EntityManager): Promise<boolean> {
  const rows = await manager.query<object[]>('SELECT FROM probe_user WHERE expires_at IS NOT NULL');
  return rows.length > 0;
}

/** Has nodes remove the user of probes if its time is over, and forgets its credentials. */
export async function endProbeUser(manager: EntityManager): Promise<void> {
  await lockRevision(manager);
  if (!(await isProbeUserOver(manager))) return;
  const revision = await nextRevision(manager);
  await manager.query(
    `UPDATE probe_user SET revision = $1, inbound_tags = '{}', proxy_settings = NULL, expires_at = NULL`,
    [revision.toString()],
  );
}
