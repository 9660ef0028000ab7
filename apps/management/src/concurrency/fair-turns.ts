import { AsyncResource } from 'node:async_hooks';

/** Whose turn it is. Addresses take turns with each other, and the credentials of an address among themselves. */
export interface TurnOwner {
  readonly address: string;
  /** A credential counts as one wherever it comes from. */
  readonly credential: string;
}

export interface TurnTaker {
  readonly owner: TurnOwner;
  /** Called at once or later. The turn lasts until `leave` is called; further calls of it do nothing. */
  begin(leave: () => void): void;
  /** Called at once or later instead of `begin` where too many wait. */
  refuse(): void;
}

export interface FairTurnsLimits {
  /** Maximum number of turns at a time: of all, of an address, and of a credential. */
  readonly atOnce: number;
  readonly atOnceOfAddress: number;
  readonly atOnceOfCredential: number;
  /** Maximum number of those who wait: of all, and of an address. */
  readonly waiting: number;
  readonly waitingOfAddress: number;
}

interface AddressQueues {
  waiting: number;
  /** Those who wait by credential. The next one is of the first credential whose turns are not all taken. */
  readonly byCredential: Map<string, TurnTaker[]>;
}

/** For how many milliseconds those who wait give way to those who arrive. */
const ARRIVALS_MS = 5;

/**
 * Gives turns to callers, so that neither the callers of an address nor those of a credential delay others by their number.
 * At most one turn begins in each turn of the event loop, and none while others arrive: a connection is accepted in a turn
 * of the event loop of its own, so that who comes last would else be seen only after all others have been answered.
 */
export class FairTurns {
  /** The next turn is that of the first address whose turns are not all taken. */
  private readonly queues = new Map<string, AddressQueues>();
  private readonly running = new Counts();
  private readonly runningOfCredential = new Counts();
  private runningInAll = 0;
  private waitingInAll = 0;
  /** Whether the next turn begins in the next turn of the event loop. */
  private isScheduled = false;
  /** Whether a caller has arrived since the last turn of the event loop. */
  private hasArrived = false;
  private lastBegin = 0;

  constructor(private readonly limits: FairTurnsLimits) {}

  /** How many turns last, and how many callers wait. */
  get figures(): { readonly running: number; readonly waiting: number } {
    return { running: this.runningInAll, waiting: this.waitingInAll };
  }

  take(taker: TurnTaker): void {
    const { address, credential } = taker.owner;
    this.hasArrived = true;
    if (!this.isScheduled && this.mayBegin(address) && this.mayUse(credential)) this.begin(taker);
    else if (this.hasRoomFor(taker.owner)) this.wait(taker);
    else taker.refuse();
  }

  private mayBegin(address: string): boolean {
    return this.runningInAll < this.limits.atOnce && this.running.of(address) < this.limits.atOnceOfAddress;
  }

  private mayUse(credential: string): boolean {
    return this.runningOfCredential.of(credential) < this.limits.atOnceOfCredential;
  }

  private begin({ owner, begin }: TurnTaker): void {
    this.count(owner, 1);
    this.lastBegin = performance.now();
    this.schedule();
    let isOver = false;
    begin(() => {
      if (isOver) return;
      isOver = true;
      this.count(owner, -1);
      this.schedule();
    });
  }

  private count({ address, credential }: TurnOwner, change: 1 | -1): void {
    this.runningInAll += change;
    this.running.add(address, change);
    this.runningOfCredential.add(credential, change);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      const givesWay = this.hasArrived && performance.now() - this.lastBegin < ARRIVALS_MS;
      this.hasArrived = false;
      if (givesWay) this.schedule();
      else this.beginNext();
    });
  }

  private beginNext(): void {
    for (const [address, queues] of this.queues) {
      if (!this.mayBegin(address)) continue;
      for (const [credential, takers] of queues.byCredential) {
        const next = this.mayUse(credential) ? takers.shift() : undefined;
        if (!next) continue;
        // Address and credential go behind all others.
        queues.byCredential.delete(credential);
        if (takers.length > 0) queues.byCredential.set(credential, takers);
        this.queues.delete(address);
        this.queues.set(address, queues);
        this.leftQueue(address, queues);
        this.begin(next);
        return;
      }
    }
  }

  private wait(taker: TurnTaker): void {
    const { address, credential } = taker.owner;
    const queues = this.queues.get(address) ?? { waiting: 0, byCredential: new Map<string, TurnTaker[]>() };
    const takers = queues.byCredential.get(credential) ?? [];
    this.queues.set(address, queues);
    queues.byCredential.set(credential, takers);
    // Without it, what follows would seem to belong to the caller whose turn has ended.
    takers.push({ ...taker, begin: AsyncResource.bind(taker.begin) });
    queues.waiting += 1;
    this.waitingInAll += 1;
    this.schedule();
  }

  /** Where too many wait, the newest one of whoever has the most is refused, or the newcomer where nobody has more. */
  private hasRoomFor({ address, credential }: TurnOwner): boolean {
    const own = this.queues.get(address);
    const ownWaiting = own?.waiting ?? 0;
    if (own && ownWaiting >= this.limits.waitingOfAddress)
      return this.refuseNewest(address, own, own.byCredential.get(credential)?.length ?? 0);
    if (this.waitingInAll < this.limits.waiting) return true;
    const [longest, queues] = longestOf(this.queues, (one) => one.waiting);
    return queues.waiting > ownWaiting + 1 && this.refuseNewest(longest, queues, -1);
  }

  private refuseNewest(address: string, queues: AddressQueues, ownWaiting: number): boolean {
    const [credential, takers] = longestOf(queues.byCredential, ({ length }) => length);
    if (takers.length <= ownWaiting + 1) return false;
    const refused = takers.pop();
    if (takers.length === 0) queues.byCredential.delete(credential);
    this.leftQueue(address, queues);
    refused?.refuse();
    return true;
  }

  private leftQueue(address: string, queues: AddressQueues): void {
    this.waitingInAll -= 1;
    queues.waiting -= 1;
    if (queues.waiting === 0) this.queues.delete(address);
  }
}

/** The entry with the highest length of a map that is not empty; of several the newest. */
function longestOf<Value>(map: ReadonlyMap<string, Value>, lengthOf: (value: Value) => number): [string, Value] {
  return [...map].reduce((one, other) => (lengthOf(other[1]) >= lengthOf(one[1]) ? other : one));
}

/** Counts by key. Keys without a count are not held. */
class Counts {
  private readonly counts = new Map<string, number>();

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  add(key: string, change: number): void {
    const count = this.of(key) + change;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }
}
