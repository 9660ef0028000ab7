import type { BackendConfig } from '../backend/backend.js';
import type { RawUser } from '../wire/raw-user.js';

/** What the node agreed on with whoever started it, beside its users. */
export interface SessionTerms {
  readonly config: BackendConfig;
  /** Seconds, as in Start. */
  readonly keepAlive: bigint;
  /** Of the full set of users: it holds for every user, present or not. 0 = none was ever given. */
  readonly revision: bigint;
}

/** A removal that is so many removals ago is not overtaken by an older message any more. */
export const MAX_REMOVED_USERS = 65_536;

/** A user that went, and the revision of the removal: an older message about it still changes nothing. */
export interface RemovedUser {
  readonly email: string;
  readonly revision: bigint;
}

export interface SavedSession extends SessionTerms {
  /** As they were accepted, each e-mail once. */
  readonly users: RawUser[];
  /** Oldest first, at most MAX_REMOVED. */
  readonly removed: RemovedUser[];
}

/**
 * What outlives the node's process: the last accepted Start and users. Calls must not overlap; they come from the
 * session's queue. None of them throws: a disk that does not take the state is a `problem`, not an outage.
 */
export interface SessionStore {
  /** Nothing when the node was never started, or the last thing was Stop or keepAlive. Called once, before all others. */
  loadSession(): Promise<SavedSession | undefined>;
  /**
   * A Start or a full sync was accepted: these terms, exactly these users. Resolves soon, before a slow disk has all of it.
   * With a revision that is new nobody counts as removed any more. `changed`: all that differs from the users before, where
   * somebody knows; those who are not `present` went.
   */
  saveSession(terms: SessionTerms, users: Iterable<RawUser>, saveUsers?: readonly RawUser[]): Promise<void>;
  /** Changes that were accepted, in this order. A user that is not `present` was removed. */
  changed(users: readonly RawUser[]): Promise<void>;
  /** Stop or keepAlive: nothing is to be started again, and no secret stays behind. */
  deleteSession(): Promise<void>;
  /** Why the disk is behind, with advice, for operators; undefined when it is not. */
  readonly problem: string | undefined;
}
