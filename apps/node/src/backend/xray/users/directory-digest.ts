import { UsersDigest, userDigest } from '@rampart/node-client';
import { parseUserText, type UserText } from '../../../wire/user-text.js';

/**
 * Number of users digested per timer turn: 2 ms of work in every 7 ms, since a starting engine reads its users at the
 * same time.
 */
const USERS_PER_TURN = 500;
const PAUSE_MS = 5;

/** The digest of a directory's users. It is computed in small steps, or at once when it is asked for. */
export class DirectoryDigest {
  private readonly sum: UsersDigest;
  /** Users whose digest is not added yet. */
  private readonly pending: UserText[];
  private timer?: NodeJS.Timeout;

  /** A copy computes nothing in the background: it only answers reads. */
  constructor(other?: DirectoryDigest) {
    this.sum = other?.sum.copy() ?? new UsersDigest();
    this.pending = other?.pending.slice() ?? [];
  }

  get value(): Uint8Array {
    this.digestPending(this.pending.length);
    return this.sum.value;
  }

  addUser(text: UserText): void {
    this.pending.push(text);
    this.scheduleWork();
  }

  removeUser(text: UserText): void {
    this.sum.removeDigest(userDigest(parseUserText(text)));
  }

  private scheduleWork(): void {
    if (this.timer !== undefined || this.pending.length === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.digestPending(USERS_PER_TURN);
      this.scheduleWork();
    }, PAUSE_MS);
    this.timer.unref();
  }

  private digestPending(users: number): void {
    for (const text of this.pending.splice(-users, users)) this.sum.addDigest(userDigest(parseUserText(text)));
  }
}
