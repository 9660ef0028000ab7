import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { NodeSyncRepository } from './node-sync.repository.js';

/** Delay of a write, so that one statement stores the revisions of all nodes that got a change. */
const DELAY_MS = 100;
const RETRY_DELAY_MS = 1_000;

/**
 * Stores up to which revision each node has the changes. The stored revisions may lag behind: they tell admins how far nodes
 * are and which tombstones are still needed, while a worker knows the position of its node and begins with a full set.
 */
export class SyncedRevisions {
  private readonly unwritten = new Map<number, bigint>();
  private writing: Promise<void> | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeSyncRepository,
  ) {}

  set(nodeId: number, revision: bigint): void {
    this.unwritten.set(nodeId, revision);
    this.writing ??= this.write();
  }

  /** Waits until all revisions are stored, or could not be stored. */
  async settle(): Promise<void> {
    await this.writing;
  }

  private async write(): Promise<void> {
    for (let delay = DELAY_MS; this.unwritten.size > 0; ) {
      await wait(delay);
      const revisions = new Map(this.unwritten);
      const leftOut = await this.nodes.setSyncedRevisions(this.database.manager, revisions).catch(() => undefined);
      // Without the database, the revisions are stored with the next one of any node.
      if (!leftOut) break;
      const again = new Set(leftOut);
      for (const [id, revision] of revisions) {
        if (!again.has(id) && this.unwritten.get(id) === revision) this.unwritten.delete(id);
      }
      delay = again.size > 0 ? RETRY_DELAY_MS : DELAY_MS;
    }
    this.writing = undefined;
  }
}
