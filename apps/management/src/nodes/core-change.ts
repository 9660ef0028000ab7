import type { EntityManager } from 'typeorm';
import type { Core } from '../cores/core.entity.js';

/**
 * To be called before a core changes or goes: its nodes go on with what they run, over reconnects too, until they are
 * restarted. Of several changes in between the first counts.
 */
export async function holdCore(manager: EntityManager, core: Core): Promise<void> {
  const { config, excludeInboundTags, fallbacksInboundTags } = core;
  await manager.query(
    `UPDATE nodes SET core_pending = true, held_core = coalesce(held_core, $2) WHERE core_config_id = $1`,
    [core.id, JSON.stringify({ config, excludeInboundTags, fallbacksInboundTags })],
  );
}

/** Has the nodes of a core started with it as it is now; their workers hear of it by the revision. */
export async function restartNodes(manager: EntityManager, coreId: number, revision: bigint): Promise<void> {
  await manager.query(`UPDATE nodes SET held_core = NULL, start_revision = $2 WHERE core_config_id = $1`, [
    coreId,
    revision.toString(),
  ]);
}
