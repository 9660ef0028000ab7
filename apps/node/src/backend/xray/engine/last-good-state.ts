import type { RawUser } from '../../../wire/raw-user.js';
import { UserDirectory } from '../users/user-directory.js';
import type { Target } from './desired-state.js';

/** How often a state that keeps running is looked at again: copying many users takes a while. */
const AGAIN_MS = 600_000;

interface Good extends Pick<Target, 'located' | 'plan'> {
  readonly users: Iterable<RawUser>;
  readonly digest: Uint8Array;
}

/** The configuration and the users with which an engine last ran for a while. */
export class LastGood {
  private good?: Good;
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
  async insteadOf({ directory: wanted, ...failing }: Target): Promise<Target | undefined> {
    const { good } = this;
    if (good === undefined || (good.plan === failing.plan && sameUsers(good, wanted))) return undefined;
    const bytesOf = new Map<string, Uint8Array>();
    for (const { email, bytes } of wanted.all()) bytesOf.set(email, bytes);
    const { located, plan } = good;
    const users = [...good.users].filter(
      ({ email, bytes }) => Buffer.compare(bytesOf.get(email) ?? NOBODY, bytes) === 0,
    );
    const { directory } = await UserDirectory.of(plan.inbounds, users);
    return { located, plan, directory };
  }

  private remember(target: Target, afterMs: number): void {
    this.timer = setTimeout(() => {
      const { located, plan, directory } = target;
      if (this.good?.plan !== plan || !sameUsers(this.good, directory)) {
        this.good = { located, plan, users: directory.all(), digest: directory.digest };
      }
      this.since = new Date();
      this.remember(target, AGAIN_MS);
    }, afterMs);
    this.timer.unref();
  }
}

const NOBODY = new Uint8Array();

function sameUsers({ digest }: Good, directory: UserDirectory): boolean {
  return Buffer.compare(digest, directory.digest) === 0;
}
