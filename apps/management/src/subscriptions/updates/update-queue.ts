import { KEPT_UPDATES, type NewUpdate } from './write-updates.js';

/** Fetches that are not written yet, in bounded memory: the latest ones of each user, for a maximum number of users. */
export class UpdateQueue {
  private byUser = new Map<number, NewUpdate[]>();
  private lost = 0;

  constructor(private readonly maxUsers: number) {}

  get isEmpty(): boolean {
    return this.byUser.size === 0;
  }

  addUpdate(update: NewUpdate): void {
    const known = this.byUser.get(update.userId);
    if (known) {
      if (known.push(update) > KEPT_UPDATES) known.shift();
    } else if (this.byUser.size < this.maxUsers) {
      this.byUser.set(update.userId, [update]);
    } else {
      this.lost += 1;
    }
  }

  /** Removes the fetches of one user from the queue and returns them. */
  takeUpdatesOf(userId: number): NewUpdate[] {
    const taken = this.byUser.get(userId) ?? [];
    this.byUser.delete(userId);
    return taken;
  }

  /** Empties the queue. Returns its fetches, and how many were dropped since the last call because the queue was full. */
  takeAll(): { updates: NewUpdate[]; lost: number } {
    const taken = { updates: [...this.byUser.values()].flat(), lost: this.lost };
    this.byUser = new Map();
    this.lost = 0;
    return taken;
  }
}
