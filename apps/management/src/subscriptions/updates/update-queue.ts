import { KEPT_UPDATES, type NewUpdate } from './write-updates.js';

/** What is to be written, in bounded memory: of each user the newest, and no more users than fit. */
export class UpdateQueue {
  private byUser = new Map<number, NewUpdate[]>();
  private lost = 0;

  constructor(private readonly mostUsers: number) {}

  addUpdate(update: NewUpdate): void {
    const known = this.byUser.get(update.userId);
    if (known) {
      if (known.push(update) > KEPT_UPDATES) known.shift();
    } else if (this.byUser.size < this.mostUsers) {
      this.byUser.set(update.userId, [update]);
    } else {
      this.lost += 1;
    }
  }

  /** Those of one user, who has none in the queue then. */
  takeUpdatesOf(userId: number): NewUpdate[] {
    const taken = this.byUser.get(userId) ?? [];
    this.byUser.delete(userId);
    return taken;
  }

  /** Everything, and how many found no room since the last time. The queue is empty then. */
  takeAll(): { updates: NewUpdate[]; lost: number } {
    const taken = { updates: [...this.byUser.values()].flat(), lost: this.lost };
    this.byUser = new Map();
    this.lost = 0;
    return taken;
  }
}
