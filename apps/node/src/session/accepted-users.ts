import type { RefusedUser } from '@rampart/node-client';
import type { ServedUsers } from '../backend/backend.js';
import type { NodeLog } from '../logs/node-log.js';
import { type RawUser, removalOf, withRevision } from '../wire/raw-user.js';
import { refusalText, type StaleUser, staleSet } from './refusal-errors.js';
import type { SavedSession, SessionStore, SessionTerms } from './session-store.js';
import { Revisions } from './user-revisions.js';

/** Users that are written in one go. */
const PART = 2000;

/** What is settled about users: which change was applied to each last, who was refused, and what of it is on disk. */
export class AgreedUsers {
  private readonly revisions = new Revisions();
  private refusals = new Map<string, RefusedUser>();

  constructor(
    private readonly served: () => ServedUsers,
    private readonly store: SessionStore,
    private readonly log: NodeLog,
  ) {}

  /** Users of the last full set or later who are not served as it says, with reasons. */
  get refused(): RefusedUser[] {
    return [...this.refusals.values()];
  }

  /** Whether this is the last that was said of this user. */
  isRefused(refusal: RefusedUser): boolean {
    return this.refusals.get(refusal.email) === refusal;
  }

  /** @throws NodeError STALE_REVISION */
  checkSet(revision: bigint): void {
    if (this.revisions.staleSet(revision)) throw staleSet(revision, this.revisions.last);
  }

  /** Leaves out, and names, those that a later change has overtaken. */
  inOrder(users: readonly RawUser[], stale: StaleUser[]): RawUser[] {
    return users.filter(({ email, revision }) => {
      const last = this.revisions.lastOf(email);
      const overtaken = revision !== 0n && revision < last;
      if (overtaken) stale.push({ email, revision, last });
      return !overtaken;
    });
  }

  /** Exactly the users of a set are served, but for those refused. Where it is known who of them has changed, only these. */
  async appliedSet(
    terms: Omit<SessionTerms, 'revision'>,
    revision: bigint,
    refused: readonly RefusedUser[],
    changed?: readonly RawUser[],
  ): Promise<void> {
    this.revisions.appliedSet(revision);
    this.noteSet(refused);
    const served = this.served();
    await this.store.started(
      { ...terms, revision: this.revisions.ofSet },
      served.all(),
      changed?.map((user) => (served.has(user.email) ? user : removalOf(user.email, 0n))),
    );
  }

  /** These users are served as they say, but for those refused. */
  async appliedUsers(users: readonly RawUser[], refused: ReadonlyMap<string, RefusedUser>): Promise<void> {
    let changed: RawUser[] = [];
    for (const user of users) {
      const { email, revision, present } = user;
      const refusal = refused.get(email);
      this.refusals.delete(email);
      if (refusal === undefined) {
        this.revisions.appliedUser(email, revision, present);
        changed.push(withRevision(user, this.revisions.lastOf(email)));
      } else {
        this.refusals.set(email, refusal);
        // Whom the engine itself refuses is left with nothing, whatever there was before.
        if (!this.served().has(email)) changed.push(this.removal(email));
      }
      if (changed.length < PART) continue;
      await this.store.changed(changed);
      changed = [];
    }
    if (refused.size > 0) this.log.note(refusalText([...refused.values()]));
    if (changed.length > 0) await this.store.changed(changed);
  }

  /** What was on disk is served again, but for those refused. */
  async restored(saved: SavedSession, refused: readonly RefusedUser[]): Promise<void> {
    this.revisions.restore(saved);
    this.noteSet(refused);
    if (refused.length > 0) await this.store.changed(refused.map(({ email }) => this.removal(email)));
  }

  clear(): void {
    this.revisions.clear();
    this.refusals.clear();
  }

  private removal(email: string): RawUser {
    return removalOf(email, this.revisions.lastOf(email));
  }

  private noteSet(refused: readonly RefusedUser[]): void {
    this.refusals = new Map(refused.map((user) => [user.email, user]));
    if (refused.length > 0) this.log.note(refusalText(refused));
  }
}
