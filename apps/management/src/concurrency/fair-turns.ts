import { AsyncResource } from 'node:async_hooks';

/** Whose turn it is: networks take turns with each other, the addresses of a network among themselves, and so their credentials. */
export interface TurnOwner {
  readonly network: string;
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
  /** Maximum number of turns at a time. */
  readonly atOnce: { readonly all: number } & Readonly<Record<keyof TurnOwner, number>>;
  /** So many of all turns are kept for networks that have none; absent: none. */
  readonly kept?: number;
  /** Maximum number of those who wait. */
  readonly waiting: { readonly all: number } & Readonly<Record<'network' | 'address', number>>;
}

/** Those who wait: at the first levels by network, address and credential, below these in the order of their arrival. */
interface Queue {
  waiting: number;
  /** The next turn is that of the first one whose turns are not all taken. */
  readonly queues: Map<string, Queue>;
  readonly takers: TurnTaker[];
}

const LEVELS = ['network', 'address', 'credential'] as const;

/** For how many milliseconds those who wait give way to those who arrive. */
const ARRIVALS_MS = 5;

/**
 * Gives turns to callers, so that neither those of a network, of an address nor of a credential delay others by their number.
 * At most one turn begins in each turn of the event loop, and none while others arrive: a connection is accepted in a turn
 * of the event loop of its own, so that who comes last would else be seen only after all others have been answered.
 */
export class FairTurns {
  private readonly root = emptyQueue();
  private readonly running = { network: new Counts(), address: new Counts(), credential: new Counts() };
  private runningInAll = 0;
  /** Whether the next turn begins in the next turn of the event loop. */
  private isScheduled = false;
  /** Whether a caller has arrived since the last turn of the event loop. */
  private hasArrived = false;
  private lastBegin = 0;

  constructor(private readonly limits: FairTurnsLimits) {}

  /** How many turns last, and how many callers wait. */
  get figures(): { readonly running: number; readonly waiting: number } {
    return { running: this.runningInAll, waiting: this.root.waiting };
  }

  take(taker: TurnTaker): void {
    this.hasArrived = true;
    if (!this.isScheduled && this.mayBegin(taker.owner)) this.begin(taker);
    else if (this.hasRoomFor(taker.owner)) this.wait(taker);
    else taker.refuse();
  }

  private mayBegin(owner: TurnOwner): boolean {
    return this.runningInAll < this.limits.atOnce.all && LEVELS.every((level) => this.hasTurns(level, owner[level]));
  }

  private hasTurnLeft(network: string): boolean {
    const kept = this.running.network.of(network) > 0 ? (this.limits.kept ?? 0) : 0;
    return this.runningInAll + kept < this.limits.atOnce.all;
  }

  private hasTurns(level: keyof TurnOwner, key: string): boolean {
    return this.running[level].of(key) < this.limits.atOnce[level] && (level !== 'network' || this.hasTurnLeft(key));
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

  private count(owner: TurnOwner, change: 1 | -1): void {
    this.runningInAll += change;
    for (const level of LEVELS) this.running[level].add(owner[level], change);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      const givesWay = this.hasArrived && performance.now() - this.lastBegin < ARRIVALS_MS;
      this.hasArrived = false;
      if (givesWay) return this.schedule();
      const next = this.runningInAll < this.limits.atOnce.all ? this.nextOf(this.root) : undefined;
      if (next) this.begin(next);
    });
  }

  /** Takes the next one out of a queue. The queues that it was in go behind all others. */
  private nextOf(queue: Queue, depth = 0): TurnTaker | undefined {
    const level = LEVELS[depth];
    let next = level === undefined ? queue.takers.shift() : undefined;
    if (level !== undefined)
      for (const [key, inner] of queue.queues) {
        next = this.hasTurns(level, key) ? this.nextOf(inner, depth + 1) : undefined;
        if (!next) continue;
        queue.queues.delete(key);
        if (inner.waiting > 0) queue.queues.set(key, inner);
        break;
      }
    if (next) queue.waiting -= 1;
    return next;
  }

  private wait(taker: TurnTaker): void {
    let queue = this.root;
    queue.waiting += 1;
    for (const level of LEVELS) {
      const inner = queue.queues.get(taker.owner[level]) ?? emptyQueue();
      queue.queues.set(taker.owner[level], inner);
      inner.waiting += 1;
      queue = inner;
    }
    // Without it, what follows would seem to belong to the caller whose turn has ended.
    queue.takers.push({ ...taker, begin: AsyncResource.bind(taker.begin) });
    this.schedule();
  }

  /** Where too many wait, the newest one of whoever has the most is refused, or the newcomer where nobody has more. */
  private hasRoomFor({ network, address, credential }: TurnOwner): boolean {
    const { waiting } = this.limits;
    const ofNetwork = this.root.queues.get(network);
    const ofAddress = ofNetwork?.queues.get(address);
    const within: [string, Queue][] = [];
    if (ofNetwork && ofAddress && ofAddress.waiting >= waiting.address)
      within.push([network, ofNetwork], [address, ofAddress]);
    else if (ofNetwork && ofNetwork.waiting >= waiting.network) within.push([network, ofNetwork]);
    else if (this.root.waiting < waiting.all) return true;
    const full = within.at(-1)?.[1] ?? this.root;
    const own = full.queues.get([network, address, credential][within.length] ?? '')?.waiting ?? 0;
    if (longestIn(full)[1].waiting <= own + 1) return false;
    this.refuseNewest(within);
    return true;
  }

  /** @param path the queues around the one that is refused, from the outside */
  private refuseNewest(path: [string, Queue][]): void {
    let queue = path.at(-1)?.[1] ?? this.root;
    while (queue.queues.size > 0) {
      path.push(longestIn(queue));
      queue = path.at(-1)?.[1] ?? queue;
    }
    const refused = queue.takers.pop();
    let outer = this.root;
    outer.waiting -= 1;
    for (const [key, inner] of path) {
      inner.waiting -= 1;
      if (inner.waiting === 0) outer.queues.delete(key);
      outer = inner;
    }
    refused?.refuse();
  }
}

const emptyQueue = (): Queue => ({ waiting: 0, queues: new Map(), takers: [] });

/** The longest of the queues in one that has some; of several the newest. */
function longestIn({ queues }: Queue): [string, Queue] {
  let longest: [string, Queue] = ['', emptyQueue()];
  for (const one of queues) if (one[1].waiting >= longest[1].waiting) longest = one;
  return longest;
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
