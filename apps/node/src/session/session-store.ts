import type { BackendConfig } from '../backend/backend.js';
import type { RawUser } from '../wire/raw-user.js';

/** The configuration and options of the last Start, without its users. */
export interface SessionTerms {
  readonly config: BackendConfig;
  /** Seconds, as in Start. */
  readonly keepAlive: bigint;
  /** Revision of the full set of users; it also holds for users who are not in the set. 0 means that none was given. */
  readonly revision: bigint;
}

/** Number of removed users whose revision is remembered; older removals are not protected from older messages. */
export const MAX_REMOVED_USERS = 65_536;

/** A removed user and the revision of the removal, so that an older message changes nothing. */
export interface RemovedUser {
  readonly email: string;
  readonly revision: bigint;
}

export interface SavedSession extends SessionTerms {
  /** The accepted users, each e-mail once. */
  readonly users: RawUser[];
  /** The users who were removed, oldest first, at most MAX_REMOVED_USERS. */
  readonly removed: RemovedUser[];
}

/**
 * Persists the last accepted Start and its users across restarts of the node's process. Calls must not overlap; they
 * come from the session's queue. They do not throw: a disk that fails is reported as `problem`.
 */
export interface SessionStore {
  /**
   * Undefined when the node was never started, or was stopped by Stop or keepAlive. Called once, before all other
   * calls.
   */
  loadSession(): Promise<SavedSession | undefined>;
  /**
   * Saves an accepted Start or full sync: these terms and exactly these users. Resolves soon, possibly before a slow
   * disk has written everything. A new revision clears the removed users. `changed`: the difference to the previous
   * users where it is known; users who are not `present` were removed.
   */
  saveSession(terms: SessionTerms, users: Iterable<RawUser>, changed?: readonly RawUser[]): Promise<void>;
  /** Saves accepted changes, in this order. A user that is not `present` was removed. */
  saveUsers(users: readonly RawUser[]): Promise<void>;
  /** Deletes the saved session after Stop or keepAlive, so that no secret stays on the disk. */
  deleteSession(): Promise<void>;
  /** Why the saved session is out of date, with advice for operators; undefined when it is up to date. */
  readonly problem: string | undefined;
}
