import type { EntityManager } from 'typeorm';
import type { Core } from '../../core-store/core.entity.js';

/** In the order of ids, as all who change several nodes. */
const LOCKED = `WITH locked AS (SELECT id FROM nodes WHERE core_config_id = $1 ORDER BY id FOR NO KEY UPDATE)`;

/**
 * To be called before a core changes or goes: its nodes go on with what they run, over reconnects too, until they are
 * restarted. Of several changes in between the first counts.
 */
export async function pinCore(manager: EntityManager, core: Core): Promise<void> {
  const { config, excludeInboundTags, fallbacksInboundTags } = core;
  await manager.query(
    `${LOCKED} UPDATE nodes SET core_pending = true, pinned_core = coalesce(pinned_core, $2)
     FROM locked WHERE nodes.id = locked.id`,
    [core.id, JSON.stringify({ config, excludeInboundTags, fallbacksInboundTags })],
  );
}

/** What the nodes of a core run it with, as far as they are known, each once. */
export async function engineVersionsOf(manager: EntityManager, coreId: number): Promise<string[]> {
  const rows = await manager.query<{ version: string }[]>(
    'SELECT DISTINCT core_version AS version FROM nodes WHERE core_config_id = $1 AND core_version IS NOT NULL ORDER BY 1',
    [coreId],
  );
  return rows.map(({ version }) => version);
}

/** Has one node started with what it runs already: the files that this names have other contents. */
export async function restartNode(manager: EntityManager, nodeId: number, revision: bigint): Promise<void> {
  await manager.query('UPDATE nodes SET start_revision = $2 WHERE id = $1', [nodeId, revision.toString()]);
}

/** Has the nodes of a core started with it as it is now; their workers hear of it by the revision. */
export async function restartNodes(manager: EntityManager, coreId: number, revision: bigint): Promise<void> {
  await manager.query(
    `${LOCKED} UPDATE nodes SET pinned_core = NULL, start_revision = $2 FROM locked WHERE nodes.id = locked.id`,
    [coreId, revision.toString()],
  );
}
