import type { RawUser } from '../../../wire/raw-user.js';
import { UserDirectory } from '../users/user-directory.js';
import type { DesiredState } from './desired-state.js';

/** How often a state that keeps running is looked at again: copying many users takes a while. */
const REFRESH_INTERVAL_MS = 600_000;

interface RememberedState extends Pick<DesiredState, 'located' | 'plan'> {
  readonly users: Iterable<RawUser>;
  readonly digest: Uint8Array;
}

/** The configuration and the users with which an engine last ran for a while. */
export class LastGoodState {
  private state?: RememberedState;
  /** When it had proven itself. */
  private provenAt?: Date;
  private timer?: NodeJS.Timeout;

  constructor(private readonly stableMs: number) {}

  /** What an operator calls it. */
  get describeState(): string {
    return `the configuration and users of ${this.provenAt?.toISOString()}`;
  }

  /** An engine has come up with this. */
  startWatching(desired: DesiredState): void {
    this.stopWatching();
    this.rememberAfter(desired, this.stableMs);
  }

  /** It has ended. */
  stopWatching(): void {
    clearTimeout(this.timer);
  }

  /**
   * What to run instead of a state that fails; nothing when there is nothing better. Whoever is not wanted any more, or
   * not as they were, is not among the users: nobody's access comes back.
   */
  async fallbackFor({ directory: wanted, ...failing }: DesiredState): Promise<DesiredState | undefined> {
    const { state } = this;
    if (state === undefined || (state.plan === failing.plan && hasSameUsers(state, wanted))) return undefined;
    const bytesOf = new Map<string, Uint8Array>();
    for (const { email, bytes } of wanted.allUsers()) bytesOf.set(email, bytes);
    const { located, plan } = state;
    const users = [...state.users].filter(
      ({ email, bytes }) => Buffer.compare(bytesOf.get(email) ?? NO_BYTES, bytes) === 0,
    );
    const { directory } = await UserDirectory.fromUsers(plan.inbounds, users);
    return { located, plan, directory };
  }

  private rememberAfter(desired: DesiredState, afterMs: number): void {
    this.timer = setTimeout(() => {
      const { located, plan, directory } = desired;
      if (this.state?.plan !== plan || !hasSameUsers(this.state, directory)) {
        this.state = { located, plan, users: directory.allUsers(), digest: directory.digest };
      }
      this.provenAt = new Date();
      this.rememberAfter(desired, REFRESH_INTERVAL_MS);
    }, afterMs);
    this.timer.unref();
  }
}

const NO_BYTES = new Uint8Array();

function hasSameUsers({ digest }: RememberedState, directory: UserDirectory): boolean {
  return Buffer.compare(digest, directory.digest) === 0;
}
