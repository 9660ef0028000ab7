import { isDeepStrictEqual } from 'node:util';
import { type Clock, SYSTEM_CLOCK, type Timer } from '../../../concurrency/clock.js';
import { forEachYielding } from '../../../concurrency/for-each-yielding.js';
import type { RawUser } from '../../../wire/raw-user.js';
import { UserDirectory } from '../users/user-directory.js';
import type { DesiredState } from './desired-state.js';
import type { EngineProgram } from './launcher.js';

/** Interval between two copies of the state of an engine that keeps running: copying many users takes a while. */
const REFRESH_INTERVAL_MS = 600_000;

interface RememberedState extends EngineProgram {
  readonly users: Iterable<RawUser>;
  readonly digest: Uint8Array;
}

/** Remembers the configuration and users with which an engine last ran for a while. */
export class LastGoodState {
  private state?: RememberedState;
  /** When the remembered state was last seen running. */
  private provenAt?: Date;
  /** Users with whom a fall-back has run for a while since then. They may be fewer, so they replace nobody. */
  private usersSince: Iterable<RawUser> = [];
  private timer?: Timer;

  constructor(
    private readonly stableMs: number,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {}

  /** The name of the remembered state in messages for operators. */
  get describeState(): string {
    return `the configuration and users of ${this.provenAt?.toISOString()}`;
  }

  /** Starts the clock for the desired state, with which an engine has come up. */
  startWatching(desired: DesiredState): void {
    this.proveUsers(desired, (seen) => {
      if (!this.state || !isSameState(this.state, seen)) this.state = seen;
      this.provenAt = new Date(this.clock.now());
      this.usersSince = [];
    });
  }

  /** Starts the clock for a state from `fallbackFor`, with which an engine has come up. */
  startWatchingFallback(fallback: DesiredState): void {
    this.proveUsers(fallback, ({ users }) => {
      this.usersSince = users;
    });
  }

  /** Stops the clock: the engine has ended. */
  stopWatching(): void {
    this.timer?.stop();
  }

  /**
   * A state to run instead of a failing one; undefined when there is none. Its users are those who are still wanted
   * unchanged, so that nobody regains access.
   */
  async fallbackFor(failing: DesiredState): Promise<DesiredState | undefined> {
    const { state } = this;
    if (state === undefined || isSameState(state, digested(failing))) return undefined;
    const wanted = new Map<string, Uint8Array>();
    await forEachYielding(failing.directory.allUsers(), ({ email, bytes }) => wanted.set(email, bytes));
    const users: RawUser[] = [];
    for (const known of [state.users, this.usersSince])
      await forEachYielding(known, (user) => {
        if (Buffer.compare(wanted.get(user.email) ?? NO_BYTES, user.bytes) === 0) users.push(user);
      });
    const { located, plan } = state;
    const { directory } = await UserDirectory.fromUsers(plan.inbounds, users);
    const fallback = { located, plan, directory };
    return isSameState(digested(fallback), digested(failing)) ? undefined : fallback;
  }

  /** Calls back each time when an engine has run for a while with the users that it had at a time. */
  private proveUsers(state: DesiredState, proven: (seen: RememberedState) => void): void {
    this.stopWatching();
    const seen = { ...digested(state), users: state.directory.allUsers() };
    this.timer = this.clock.setTimer(this.stableMs, () => {
      proven(seen);
      this.timer = this.clock.setTimer(REFRESH_INTERVAL_MS, () => this.proveUsers(state, proven));
    });
  }
}

const NO_BYTES = new Uint8Array();

type DigestedState = EngineProgram & Pick<RememberedState, 'digest'>;

const digested = ({ located, plan, directory: { digest } }: DesiredState): DigestedState => ({ located, plan, digest });

/** Whether two states are the same program with the same users. */
export const hasSameContent = (one: DesiredState, other: DesiredState): boolean =>
  isSameState(digested(one), digested(other));

const isSameState = (one: DigestedState, other: DigestedState): boolean =>
  Buffer.compare(one.digest, other.digest) === 0 && isSameProgram(one, other);

/** Whether two programs have the same configuration, which may have been sent again. */
export const isSameProgram = (one: EngineProgram, other: EngineProgram): boolean =>
  isDeepStrictEqual([one.located, one.plan.source], [other.located, other.plan.source]);
