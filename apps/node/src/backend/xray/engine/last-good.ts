import type { UserDirectory } from '../users/user-directory.js';
import type { Target } from './target.js';

/** How often a state that keeps running is looked at again: copying many users takes a while. */
const AGAIN_MS = 600_000;

/** The configuration and the users with which an engine last ran for a while. */
export class LastGood {
  private good?: Target;
  /** When it had proven itself. */
  private since?: Date;
  private timer?: NodeJS.Timeout;

  constructor(private readonly stableMs: number) {}

  /** What an operator calls it. */
  get name(): string {
    return `the configuration and users of ${this.since?.toISOString()}`;
  }

  /** An engine has come up with this. */
  watch(target: Target): void {
    this.halt();
    this.remember(target, this.stableMs);
  }

  /** It has ended. */
  halt(): void {
    clearTimeout(this.timer);
  }

  /**
   * What to run instead of a state that fails; nothing when there is nothing better. Whoever is not wanted any more, or
   * not as they were, is not among the users: nobody's access comes back.
   */
  async insteadOf({ directory, ...failing }: Target): Promise<Target | undefined> {
    const { good } = this;
    if (good === undefined) return undefined;
    if (good.plan === failing.plan && sameUsers(good.directory, directory)) return undefined;
    const wanted = new Map<string, Uint8Array>();
    for (const { email, bytes } of directory.all()) wanted.set(email, bytes);
    const users = good.directory.copy();
    await users.replace(
      [...users.all()].filter(({ email, bytes }) => Buffer.compare(wanted.get(email) ?? NOBODY, bytes) === 0),
    );
    return { ...good, directory: users };
  }

  private remember(target: Target, afterMs: number): void {
    this.timer = setTimeout(() => {
      if (this.good?.plan !== target.plan || !sameUsers(this.good.directory, target.directory)) {
        this.good = { ...target, directory: target.directory.copy() };
      }
      this.since = new Date();
      this.remember(target, AGAIN_MS);
    }, afterMs);
    this.timer.unref();
  }
}

const NOBODY = new Uint8Array();

function sameUsers(one: UserDirectory, other: UserDirectory): boolean {
  return one.count === other.count && Buffer.compare(one.digest, other.digest) === 0;
}
