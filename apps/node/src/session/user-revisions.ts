import { MAX_REMOVED_USERS, type SavedSession } from './session-store.js';

/**
 * Which revision was last applied to each user, so that a message that was overtaken on its way changes nothing.
 * 0 = no revision: such a change counts in order of arrival and leaves the marks as they are.
 */
export class UserRevisions {
  /** Of the last full set: it holds for every user, present or not. */
  private baseRevision = 0n;
  private newest = 0n;
  private readonly users = new Map<string, bigint>();
  private readonly removed = new Map<string, bigint>();

  /** A full set is older when any user has seen a later change: it would undo that. */
  isSetStale(revision: bigint): boolean {
    return revision !== 0n && revision < this.newest;
  }

  /** The last one applied to anyone. */
  get newestRevision(): bigint {
    return this.newest;
  }

  /** The one that holds for whoever has none of their own. */
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
