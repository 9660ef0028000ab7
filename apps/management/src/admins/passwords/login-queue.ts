import { ManagementError } from '../../errors/management-error.js';

/** Who waits for a login. */
export interface LoginCaller {
  /** The network or the browser from which it comes. Those of one origin take turns with those of others. */
  readonly origin: string;
  /** Whether the admin has logged in from there before. Known origins come first. */
  readonly isKnown: boolean;
  /** Aborts when the client has left. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly caller: LoginCaller;
  enter(): void;
  refuse(error: Error): void;
}

const RETRY_SECONDS = 2;

/**
 * Lets one login in at a time, because each takes a processor for tens of milliseconds. Origins take turns, known ones
 * before others. When too many wait, the newest of the stranger with the most is refused, or the newcomer where nobody has more.
 */
export class LoginQueue {
  private isBusy = false;
  /** The waiting logins by origin; the next turn is that of the first origin. */
  private readonly known = new Map<string, Waiting[]>();
  private readonly strange = new Map<string, Waiting[]>();

  constructor(private readonly most: number) {}

  /** How many logins wait. */
  get length(): number {
    return [...this.known.values(), ...this.strange.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async run<T>(caller: LoginCaller, login: () => Promise<T>): Promise<T> {
    await this.waitForTurn(caller);
    try {
      return await login();
    } finally {
      this.isBusy = false;
      this.startNext();
    }
  }

  private waitForTurn(caller: LoginCaller): Promise<void> {
    return new Promise((resolve, reject) => {
      if (caller.signal?.aborted) return reject(clientLeft());
      if (this.length >= this.most && !this.makesRoomFor(caller)) return reject(queueFull());
      const leave = () => {
        this.remove(waiting);
        reject(clientLeft());
      };
      const waiting: Waiting = {
        caller,
        enter: () => {
          caller.signal?.removeEventListener('abort', leave);
          resolve();
        },
        refuse: (error) => {
          caller.signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      caller.signal?.addEventListener('abort', leave, { once: true });
      const lane = this.laneOf(caller);
      lane.set(caller.origin, [...(lane.get(caller.origin) ?? []), waiting]);
      this.startNext();
    });
  }

  private startNext(): void {
    if (this.isBusy) return;
    for (const lane of [this.known, this.strange]) {
      for (const [origin, [next, ...others]] of lane) {
        lane.delete(origin);
        if (others.length > 0) lane.set(origin, others);
        if (!next) continue;
        this.isBusy = true;
        next.enter();
        return;
      }
    }
  }

  /** Refuses one that waits, if it is fair to. */
  private makesRoomFor({ origin, isKnown }: LoginCaller): boolean {
    const longest = [...this.strange.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    const own = isKnown ? -1 : (this.strange.get(origin)?.length ?? 0);
    const dropped = longest.length > own + 1 ? longest.at(-1) : undefined;
    if (!dropped) return false;
    this.remove(dropped);
    dropped.refuse(queueFull());
    return true;
  }

  private remove(gone: Waiting): void {
    const lane = this.laneOf(gone.caller);
    const left = lane.get(gone.caller.origin)?.filter((waiting) => waiting !== gone) ?? [];
    if (left.length > 0) lane.set(gone.caller.origin, left);
    else lane.delete(gone.caller.origin);
  }

  private laneOf({ isKnown }: LoginCaller): Map<string, Waiting[]> {
    return isKnown ? this.known : this.strange;
  }
}

const queueFull = (): ManagementError =>
  new ManagementError('LOGIN_QUEUE_FULL', undefined, { 'retry-after': String(RETRY_SECONDS) });

/** Nobody reads this answer. */
const clientLeft = (): ManagementError => new ManagementError('REQUEST_TIMEOUT');
