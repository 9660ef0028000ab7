import type { RefusedUser } from '@rampart/node-client';
import type { ServedUsers } from '../backend/backend.js';
import type { NodeLog } from '../logs/node-log.js';
import { type RawUser, removalMessage, withRevision } from '../wire/raw-user.js';
import { describeRefusals, type StaleUser, staleSetError } from './refusal-errors.js';
import type { SavedSession, SessionStore, SessionTerms } from './session-store.js';
import { UserRevisions } from './user-revisions.js';

/** Maximum number of users in one write to the store. */
const MAX_USERS_PER_WRITE = 2000;

/** Tracks the last applied revision of each user and the refused users, and saves changes to the store. */
export class AcceptedUsers {
  private readonly revisions = new UserRevisions();
  private refusals = new Map<string, RefusedUser>();

  constructor(
    private readonly served: () => ServedUsers,
    private readonly store: SessionStore,
    private readonly log: NodeLog,
  ) {}

  /** Users since the last full set that are not served as requested, with reasons. */
  get refused(): RefusedUser[] {
    return [...this.refusals.values()];
  }

  /** Whether this is the latest result for its user. */
  isRefused(refusal: RefusedUser): boolean {
    return this.refusals.get(refusal.email) === refusal;
  }

  /** @throws NodeError STALE_REVISION */
  checkSetRevision(revision: bigint): void {
    if (this.revisions.isSetStale(revision)) throw staleSetError(revision, this.revisions.newestRevision);
  }

  /** Returns the users without those whose message is older than the last applied one; these are added to `stale`. */
  withoutStaleUsers(users: readonly RawUser[], stale: StaleUser[]): RawUser[] {
    return users.filter(({ email, revision }) => {
      const last = this.revisions.lastRevisionOf(email);
      const overtaken = revision !== 0n && revision < last;
      if (overtaken) stale.push({ email, revision, lastRevision: last });
      return !overtaken;
    });
  }

  /**
   * Records that exactly the users of a set are served, except for refused ones. `changed` is the difference to the
   * previous users, if known; the store then needs to write only this.
   */
  async recordSet(
    terms: Omit<SessionTerms, 'revision'>,
    revision: bigint,
    refused: readonly RefusedUser[],
    changed?: readonly RawUser[],
  ): Promise<void> {
    this.revisions.recordSet(revision);
    this.logRefusals(refused);
    const served = this.served();
    await this.store.saveSession(
      { ...terms, revision: this.revisions.setRevision },
      served.allUsers(),
      changed?.map((user) => (served.hasUser(user.email) ? user : removalMessage(user.email, 0n))),
    );
  }

  /** Records that these users are served as requested, except for refused ones. */
  async recordChanges(users: readonly RawUser[], refused: ReadonlyMap<string, RefusedUser>): Promise<void> {
    let changed: RawUser[] = [];
    for (const user of users) {
      const { email, revision, present } = user;
      const refusal = refused.get(email);
      this.refusals.delete(email);
      if (refusal === undefined) {
        this.revisions.recordUser(email, revision, present);
        changed.push(withRevision(user, this.revisions.lastRevisionOf(email)));
      } else {
        this.refusals.set(email, refusal);
        // A user whom the engine itself refused is no longer served, even if it was served before.
        if (!this.served().hasUser(email)) changed.push(this.removalMessage(email));
      }
      if (changed.length < MAX_USERS_PER_WRITE) continue;
      await this.store.saveUsers(changed);
      changed = [];
    }
    if (refused.size > 0) this.log.note(describeRefusals([...refused.values()]));
    if (changed.length > 0) await this.store.saveUsers(changed);
  }

  /** Records that the saved users are served again, except for refused ones. */
  async recordRestored(saved: SavedSession, refused: readonly RefusedUser[]): Promise<void> {
    this.revisions.restoreRevisions(saved);
    this.logRefusals(refused);
    if (refused.length > 0) await this.store.saveUsers(refused.map(({ email }) => this.removalMessage(email)));
  }

  clearUsers(): void {
    this.revisions.clearRevisions();
    this.refusals.clear();
  }

  private removalMessage(email: string): RawUser {
    return removalMessage(email, this.revisions.lastRevisionOf(email));
  }

  private logRefusals(refused: readonly RefusedUser[]): void {
    this.refusals = new Map(refused.map((user) => [user.email, user]));
    if (refused.length > 0) this.log.note(describeRefusals(refused));
  }
}
