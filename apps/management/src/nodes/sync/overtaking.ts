import type { ServedUser, SmallChanges } from '../../user-store/served/served-users.js';

export interface OvertakingCalls {
  /** Reads the changes of few users that are newer than a revision. */
  read(revision: bigint): Promise<SmallChanges>;
  send(users: readonly ServedUser[]): Promise<void>;
}

/**
 * While many users of one change are sent to a node, changes of few users that come meanwhile are sent before them. They
 * are sent once more when it is their turn, so that the position of the node stays a single revision.
 */
export class Overtaking {
  /** The revision up to which newer changes were looked for. */
  private lookedUpTo: bigint;
  /** By user, the revision that was sent ahead. */
  private readonly sent = new Map<number, bigint>();
  private announced = false;
  private running: Promise<void> | undefined;
  private failure: { readonly error: unknown } | undefined;

  /** @param backlog a revision of the many users that are sent now */
  constructor(
    backlog: bigint,
    private readonly calls: OvertakingCalls,
  ) {
    this.lookedUpTo = backlog;
    // What was committed before this moment is not announced again.
    this.announceChange();
  }

  /** There may be new changes. */
  announceChange(): void {
    this.announced = true;
    this.running ??= this.sendAhead().finally(() => {
      this.running = undefined;
    });
  }

  /** Users of a batch of whom the node has heard something newer, so that it may refuse the batch's word as stale. */
  overtakenOf(users: readonly ServedUser[]): readonly ServedUser[] {
    return this.sent.size > 0 ? users.filter(({ id, revision }) => (this.sent.get(id) ?? 0n) > revision) : [];
  }

  /** Waits until nothing is sent ahead any more. @throws the error of a call that has failed */
  async settle(): Promise<void> {
    await this.running;
    if (this.failure) throw this.failure.error;
  }

  private async sendAhead(): Promise<void> {
    try {
      while (this.announced && !this.failure) {
        this.announced = false;
        const { users, newest, more } = await this.calls.read(this.lookedUpTo);
        this.lookedUpTo = newest;
        if (more) this.announced = true;
        // Noted before the call: what is sent of these users from now on would be late.
        for (const { id, revision } of users) this.sent.set(id, revision);
        if (users.length > 0) await this.calls.send(users);
      }
    } catch (error) {
      this.failure = { error };
    }
  }
}
