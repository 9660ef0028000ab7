import { ManagementError } from '../../errors/management-error.js';

/** Who waits for a login. */
export interface LoginCaller {
  /** The network or the browser from which it comes. Those of one origin take turns with those of others. */
  readonly origin: string;
  /** The admin who has logged in from there before; absent: none. Known origins come first, and admins take turns. */
  readonly admin?: string | undefined;
  /** Aborts when the client has left. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly caller: LoginCaller;
  enter(): void;
  refuse(error: Error): void;
}

const RETRY_SECONDS = 2;
/** So many logins of known origins follow each other while strangers wait: an admin may be on a journey. */
const KNOWN_IN_A_ROW = 3;
/** For strangers this part of the places is kept. */
const STRANGERS_PART = 1 / 4;

/**
 * Lets one login in at a time, because each takes a processor for tens of milliseconds. Admins at known origins take turns
 * with each other, strangers by their origin; known ones come before most strangers. When too many wait, the newest of whoever
 * has the most is refused, strangers first, or the newcomer where nobody has more.
 */
export class LoginQueue {
  private isBusy = false;
  private readonly known = new Lane();
  private readonly strange = new Lane();
  private knownInARow = 0;

  constructor(private readonly most: number) {}

  /** How many logins wait. */
  get length(): number {
    return this.known.length + this.strange.length;
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
        this.laneOf(caller).remove(waiting);
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
      this.laneOf(caller).add(waiting);
      this.startNext();
    });
  }

  private startNext(): void {
    if (this.isBusy) return;
    const next =
      this.knownInARow < KNOWN_IN_A_ROW
        ? (this.known.takeNext() ?? this.strange.takeNext())
        : (this.strange.takeNext() ?? this.known.takeNext());
    if (!next) return;
    this.knownInARow = next.caller.admin === undefined ? 0 : this.knownInARow + 1;
    this.isBusy = true;
    next.enter();
  }

  /** Refuses one that waits, if it is fair to. */
  private makesRoomFor(caller: LoginCaller): boolean {
    const kept = Math.floor(this.most * STRANGERS_PART);
    const dropped =
      caller.admin === undefined
        ? (this.strange.dropFor(caller) ?? (this.strange.length < kept ? this.known.dropNewest() : undefined))
        : this.strange.length > kept
          ? this.strange.dropNewest()
          : this.known.dropFor(caller);
    dropped?.refuse(queueFull());
    return dropped !== undefined;
  }

  private laneOf({ admin }: LoginCaller): Lane {
    return admin === undefined ? this.strange : this.known;
  }
}

/** Those who wait: admins take turns, and the origins of each. A stranger counts as an admin with one origin. */
class Lane {
  /** By admin and origin; the next turn is that of the first ones. */
  private readonly admins = new Map<string, Map<string, Waiting[]>>();

  get length(): number {
    return [...this.admins.values()].reduce((sum, origins) => sum + lengthOf(origins), 0);
  }

  add(waiting: Waiting): void {
    const { admin, origin } = keysOf(waiting.caller);
    const origins = this.admins.get(admin) ?? new Map<string, Waiting[]>();
    this.admins.set(admin, origins);
    origins.set(origin, [...(origins.get(origin) ?? []), waiting]);
  }

  remove(gone: Waiting): void {
    const { admin, origin } = keysOf(gone.caller);
    const origins = this.admins.get(admin);
    const left = origins?.get(origin)?.filter((waiting) => waiting !== gone) ?? [];
    if (left.length > 0) origins?.set(origin, left);
    else origins?.delete(origin);
    if (origins?.size === 0) this.admins.delete(admin);
  }

  /** Takes the next one out; its admin and its origin go behind the others. */
  takeNext(): Waiting | undefined {
    const [first] = this.admins;
    const [next] = first?.[1].values().next().value ?? [];
    if (!first || !next) return undefined;
    const [admin, origins] = first;
    this.remove(next);
    moveToEnd(this.admins, admin);
    moveToEnd(origins, next.caller.origin);
    return next;
  }

  /** Takes the newest one of whoever has the most out, where that is more than a newcomer would have. */
  dropFor(caller: LoginCaller): Waiting | undefined {
    const { admin, origin } = keysOf(caller);
    const own = this.admins.get(admin) ?? new Map<string, Waiting[]>();
    if (lengthOf(this.longest()) > lengthOf(own) + 1) return this.dropNewest();
    return longestOf(own).length > (own.get(origin)?.length ?? 0) + 1 ? this.dropNewest(own) : undefined;
  }

  /** Takes the newest one of the origin with the most out. */
  dropNewest(origins = this.longest()): Waiting | undefined {
    const dropped = longestOf(origins).at(-1);
    if (dropped) this.remove(dropped);
    return dropped;
  }

  /** The origins of the admin with the most. */
  private longest(): Map<string, Waiting[]> {
    return [...this.admins.values()].reduce(
      (one, other) => (lengthOf(other) > lengthOf(one) ? other : one),
      new Map<string, Waiting[]>(),
    );
  }
}

const keysOf = ({ admin, origin }: LoginCaller): { readonly admin: string; readonly origin: string } => ({
  admin: admin ?? origin,
  origin,
});

const lengthOf = (origins: ReadonlyMap<string, readonly Waiting[]>): number =>
  [...origins.values()].reduce((sum, { length }) => sum + length, 0);

const longestOf = (origins: ReadonlyMap<string, readonly Waiting[]>): readonly Waiting[] =>
  [...origins.values()].reduce((one, other) => (other.length > one.length ? other : one), []);

function moveToEnd<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

const queueFull = (): ManagementError =>
  new ManagementError('LOGIN_QUEUE_FULL', undefined, { 'retry-after': String(RETRY_SECONDS) });

/** Nobody reads this answer. */
const clientLeft = (): ManagementError => new ManagementError('REQUEST_TIMEOUT');
