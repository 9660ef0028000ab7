import type { RawUser } from '../../../wire/raw-user.js';
import { UserDirectory } from '../users/user-directory.js';
import type { DesiredState } from './desired-state.js';

/** Interval between two copies of the state of an engine that keeps running: copying many users takes a while. */
const REFRESH_INTERVAL_MS = 600_000;

interface RememberedState extends Pick<DesiredState, 'located' | 'plan'> {
  readonly users: Iterable<RawUser>;
  readonly digest: Uint8Array;
}

/** Remembers the configuration and users with which an engine last ran for a while. */
export class LastGoodState {
  private state?: RememberedState;
  /** When the remembered state was last seen running. */
  private provenAt?: Date;
  private timer?: NodeJS.Timeout;

  constructor(private readonly stableMs: number) {}

  /** The name of the remembered state in messages for operators. */
  get describeState(): string {
    return `the configuration and users of ${this.provenAt?.toISOString()}`;
  }

  /** Starts the clock for a state with which an engine has come up. */
  startWatching(desired: DesiredState): void {
    this.stopWatching();
    this.rememberAfter(desired, this.stableMs);
  }

  /** Stops the clock: the engine has ended. */
  stopWatching(): void {
    clearTimeout(this.timer);
  }

  /**
   * A state to run instead of a failing one; undefined when there is none. Its users are those who are still wanted
   * unchanged, so that nobody regains access.
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
