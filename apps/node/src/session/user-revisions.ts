import { MAX_REMOVED, type SavedSession } from './session-store.js';

/**
 * Which revision was last applied to each user, so that a message that was overtaken on its way changes nothing.
 * 0 = no revision: such a change counts in order of arrival and leaves the marks as they are.
 */
export class Revisions {
  /** Of the last full set: it holds for every user, present or not. */
  private base = 0n;
  private newest = 0n;
  private readonly users = new Map<string, bigint>();
  private readonly removed = new Map<string, bigint>();

  /** A full set is older when any user has seen a later change: it would undo that. */
  staleSet(revision: bigint): boolean {
    return revision !== 0n && revision < this.newest;
  }

  /** The last one applied to anyone. */
  get last(): bigint {
    return this.newest;
  }

  /** The one that holds for whoever has none of their own. */
  get ofSet(): bigint {
    return this.base;
  }

  lastOf(email: string): bigint {
    return this.users.get(email) ?? this.removed.get(email) ?? this.base;
  }

  appliedSet(revision: bigint): void {
    if (revision === 0n) return;
    this.base = revision;
    this.newest = revision;
    this.users.clear();
    this.removed.clear();
  }

  appliedUser(email: string, revision: bigint, present: boolean): void {
    const mark = revision === 0n ? this.lastOf(email) : revision;
    this.users.delete(email);
    this.removed.delete(email);
    if (mark > this.newest) this.newest = mark;
    if (mark <= this.base) return;
    if (present) {
      this.users.set(email, mark);
      return;
    }
    this.removed.set(email, mark);
    const [oldest] = this.removed.keys();
    if (oldest !== undefined && this.removed.size > MAX_REMOVED) this.removed.delete(oldest);
  }

  restore({ revision, users, removed }: Pick<SavedSession, 'revision' | 'users' | 'removed'>): void {
    this.clear();
    this.appliedSet(revision);
    for (const user of users) this.appliedUser(user.email, user.revision, true);
    for (const user of removed) this.appliedUser(user.email, user.revision, false);
  }

  clear(): void {
    this.base = 0n;
    this.newest = 0n;
    this.users.clear();
    this.removed.clear();
  }
}
