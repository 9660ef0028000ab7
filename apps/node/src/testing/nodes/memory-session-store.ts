import type { RemovedUser, SavedSession, SessionStore, SessionTerms } from '../../session/session-store.js';
import type { RawUser } from '../../wire/raw-user.js';

/** Keeps the session in memory for the next node of the same test. */
export class MemorySessionStore implements SessionStore {
  problem: string | undefined;
  private terms?: SessionTerms;
  private readonly users = new Map<string, RawUser>();
  private readonly removed = new Map<string, RemovedUser>();

  async loadSession(): Promise<SavedSession | undefined> {
    if (this.terms === undefined) return undefined;
    return { ...this.terms, users: [...this.users.values()], removed: [...this.removed.values()] };
  }

  async saveSession(terms: SessionTerms, users: Iterable<RawUser>): Promise<void> {
    this.clear();
    this.terms = terms;
    for (const user of users) this.users.set(user.email, user);
  }

  async saveUsers(users: readonly RawUser[]): Promise<void> {
    for (const user of users) {
      this.users.delete(user.email);
      this.removed.delete(user.email);
      if (user.present) this.users.set(user.email, user);
      else this.removed.set(user.email, user);
    }
  }

  async deleteSession(): Promise<void> {
    this.clear();
  }

  private clear(): void {
    this.terms = undefined;
    this.users.clear();
    this.removed.clear();
  }
}
