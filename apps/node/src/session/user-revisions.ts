import { MAX_REMOVED_USERS, type SavedSession } from './session-store.js';

/**
 * The last applied revision of each user, so that older messages change nothing. Revision 0 means none: such a change
 * is applied in order of arrival and does not change the recorded revision.
 */
export class UserRevisions {
  /** Revision of the last full set; it holds for every user, present or not. */
  private baseRevision = 0n;
  private newest = 0n;
  private readonly users = new Map<string, bigint>();
  private readonly removed = new Map<string, bigint>();

  /** A set is stale when any user has seen a later change, which the set would undo. */
  isSetStale(revision: bigint): boolean {
    return revision !== 0n && revision < this.newest;
  }

  /** The highest revision applied to any user. */
  get newestRevision(): bigint {
    return this.newest;
  }

  /** The revision of users who have none of their own. */
  get setRevision(): bigint {
    return this.baseRevision;
  }

  lastRevisionOf(email: string): bigint {
    return this.users.get(email) ?? this.removed.get(email) ?? this.baseRevision;
  }

  recordSet(revision: bigint): void {
    if (revision === 0n) return;
    this.baseRevision = revision;
    this.newest = revision;
    this.users.clear();
    this.removed.clear();
  }

  recordUser(email: string, revision: bigint, present: boolean): void {
    const mark = revision === 0n ? this.lastRevisionOf(email) : revision;
    this.users.delete(email);
    this.removed.delete(email);
    if (mark > this.newest) this.newest = mark;
    if (mark <= this.baseRevision) return;
    if (present) {
      this.users.set(email, mark);
      return;
    }
    this.removed.set(email, mark);
    const [oldest] = this.removed.keys();
    if (oldest !== undefined && this.removed.size > MAX_REMOVED_USERS) this.removed.delete(oldest);
  }

  restoreRevisions({ revision, users, removed }: Pick<SavedSession, 'revision' | 'users' | 'removed'>): void {
    this.clearRevisions();
    this.recordSet(revision);
    for (const user of users) this.recordUser(user.email, user.revision, true);
    for (const user of removed) this.recordUser(user.email, user.revision, false);
  }

  clearRevisions(): void {
    this.baseRevision = 0n;
    this.newest = 0n;
    this.users.clear();
    this.removed.clear();
  }
}
