import { UsersDigest, userDigest } from '@rampart/node-client';
import { readUser, type UserText } from '../../../wire/user-text.js';

/** Two milliseconds' work in seven: an engine that starts with many users reads them meanwhile. */
const PART = 500;
const PAUSE_MS = 5;

/** The digest of a directory's users. It is worked out little by little, or when somebody wants to know it. */
export class DirectoryDigest {
  private readonly sum: UsersDigest;
  /** Users who are not in the sum yet. */
  private readonly open: UserText[];
  private timer?: NodeJS.Timeout;

  /** A copy adds nobody of itself: it is for whoever asks meanwhile. */
  constructor(other?: DirectoryDigest) {
    this.sum = other?.sum.copy() ?? new UsersDigest();
    this.open = other?.open.slice() ?? [];
  }

  get value(): Uint8Array {
    this.work(this.open.length);
    return this.sum.value;
  }

  add(text: UserText): void {
    this.open.push(text);
    this.wait();
  }

  remove(text: UserText): void {
    this.sum.removeDigest(userDigest(readUser(text)));
  }

  private wait(): void {
    if (this.timer !== undefined || this.open.length === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.work(PART);
      this.wait();
    }, PAUSE_MS);
    this.timer.unref();
  }

  private work(users: number): void {
    for (const text of this.open.splice(-users, users)) this.sum.addDigest(userDigest(readUser(text)));
  }
}
