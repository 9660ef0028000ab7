import type { DataSource } from 'typeorm';
import { SharedReads } from '../../concurrency/shared-reads.js';
import {
  type ChangePosition,
  changedUsersAfter,
  type ServedUser,
  type SmallChanges,
  smallChangesAfter,
} from '../../user-store/served/served-users.js';
import type { NodeSyncRepository } from './node-sync.repository.js';

/** Maximum number of users in one call to a node. */
export const BATCH_SIZE = 1_000;
/** Number of full batches that are kept for nodes that come later; each one takes about 1 MB. */
const MAX_KEPT_BATCHES = 8;
const KEPT_MS = 10_000;
/** A change of at most this many users overtakes one of many users. */
const SMALL_CHANGE_USERS = 20;
/** Maximum number of changes in one call that overtakes. */
const MAX_OVERTAKING_CHANGES = 100;

interface KeptBatch {
  readonly users: readonly ServedUser[];
  readonly readAt: number;
}

/** Reads what the workers of a replica have to send. Most nodes have the same position, so that one query serves all. */
export class ChangeReader {
  private readonly changes = new SharedReads<readonly ServedUser[]>();
  private readonly smallChanges = new SharedReads<SmallChanges>();
  private readonly startRevisions = new SharedReads<ReadonlyMap<number, bigint>>();
  /** Full batches by their position. */
  private readonly kept = new Map<string, KeptBatch>();

  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeSyncRepository,
  ) {}

  /**
   * The next users to send after a position, in the order of their revisions, at most `BATCH_SIZE`. A full batch may have been
   * read earlier: users who have changed since then occur again, with their newer revision, in a later batch.
   */
  async changesAfter(position: ChangePosition): Promise<readonly ServedUser[]> {
    const key = `${position.revision} ${position.userId}`;
    for (const [old, { readAt }] of this.kept) if (performance.now() - readAt > KEPT_MS) this.kept.delete(old);
    const kept = this.kept.get(key);
    if (kept) return kept.users;
    const users = await this.changes.read(key, () => changedUsersAfter(this.database.manager, position, BATCH_SIZE));
    if (users.length === BATCH_SIZE) this.keep(key, users);
    return users;
  }

  /** Changes of few users that are newer than a revision, which may be sent before a change of many. */
  smallChangesAfter(revision: bigint): Promise<SmallChanges> {
    return this.smallChanges.read(`${revision}`, () =>
      smallChangesAfter(this.database.manager, revision, SMALL_CHANGE_USERS, MAX_OVERTAKING_CHANGES),
    );
  }

  /** The revision from which the node must have been started; undefined when the node was deleted. */
  async startRevisionOf(nodeId: number): Promise<bigint | undefined> {
    const read = () => this.nodes.findStartRevisions(this.database.manager);
    return (await this.startRevisions.read('', read)).get(nodeId);
  }

  private keep(key: string, users: readonly ServedUser[]): void {
    this.kept.set(key, { users, readAt: performance.now() });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT_BATCHES && oldest !== undefined) this.kept.delete(oldest);
  }
}
