import type { NodeClient } from '@rampart/node-client';
import { NodeProblem } from '../store/node-problem.js';

/** Ordinary nodes that get a full set at once. */
const MAX_ORDINARY = 4;
/** Nodes beside them that take longer, or have lately. */
const MAX_SLOW = 4;
/** Time within which an ordinary node has taken its full set, in milliseconds. */
const ORDINARY_MS = 10_000;
/** Time after which a slow place is given on to a node that waits for one, in milliseconds. */
const SLOW_MS = 60_000;
/** A slow place is not kept from a waiting node for longer than this many times that time. */
const MAX_TURNS = 8;
/** For so long a node counts as slow after it has taken longer. */
const SLOW_FOR_MS = 3_600_000;
/** Interval of calls to a waiting node, whose engine may run and would stop if nobody called. */
const KEEP_ALIVE_CALL_MS = 5_000;

/** The place of a node that gets a full set. */
export interface StartPlace {
  /**
   * Does the part of a task that waits for the node.
   *
   * @param work its signal aborts when the place is given to another node
   */
  timed<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Place {
  readonly nodeId: number;
  readonly givenUp: AbortController;
  isSlow: boolean;
  isOverdue: boolean;
  /** How often the node has lately used up the time of a slow place. */
  readonly used: number;
  /** How often that time has passed since. */
  turns: number;
}

/** A node that has lately taken long. */
interface SlowNode {
  /** When it counts as an ordinary one again. */
  readonly until: number;
  /** For how long it has held slow places, in milliseconds. */
  heldMs: number;
}

/**
 * Limits how many nodes get a full set of users at once, because each set is held in memory while it is sent. A node that
 * takes long keeps no other waiting, however it answers in the end: its place is given on, and it takes one of those for
 * slow nodes, now if one is free, and else the next time. Slow places are given on as well, first to
 * those who have held them for the shortest time. Who has held them for longer has to leave others longer turns: a node that
 * is just slow gets through, and those that never finish cannot cut it off again and again.
 */
export class StartLimiter {
  private readonly places = new Set<Place>();
  /** In the order of their arrival. */
  private readonly waiting = new Map<Place, () => void>();
  private readonly slowNodes = new Map<number, SlowNode>();

  constructor(
    private readonly ordinaryMs = ORDINARY_MS,
    private readonly slowMs = SLOW_MS,
  ) {}

  /** @param signal ends the wait, not the task */
  async run<T>(
    nodeId: number,
    client: Pick<NodeClient, 'info'>,
    task: (place: StartPlace) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const known = this.slowNodes.get(nodeId);
    const isSlow = known !== undefined && known.until > performance.now();
    const used = isSlow ? Math.floor(known.heldMs / this.slowMs) : 0;
    const place = { nodeId, isSlow, isOverdue: false, used, turns: 0, givenUp: new AbortController() };
    await this.enter(place, client, signal);
    try {
      return await task({ timed: (work) => this.timed(place, work) });
    } finally {
      this.places.delete(place);
      this.admit();
    }
  }

  private async enter(place: Place, client: Pick<NodeClient, 'info'>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const keepAlive = setInterval(
      () => void client.info({ signal, maxEntries: 0 }).catch(() => undefined),
      KEEP_ALIVE_CALL_MS,
    );
    let leave = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        leave = () => {
          this.waiting.delete(place);
          reject(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        this.waiting.set(place, resolve);
        this.admit();
      });
    } finally {
      clearInterval(keepAlive);
      signal.removeEventListener('abort', leave);
    }
  }

  private async timed<T>(place: Place, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const began = performance.now();
    const timer = setTimeout(() => this.overdue(place), this.ordinaryMs);
    const turns = setInterval(() => {
      place.turns += 1;
      this.admit();
    }, this.slowMs);
    const { signal } = place.givenUp;
    try {
      return await work(signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(timer);
      clearInterval(turns);
      const node = this.slowNodes.get(place.nodeId);
      if (node && place.isSlow) node.heldMs += performance.now() - began;
    }
  }

  private overdue(place: Place): void {
    place.isOverdue = true;
    const until = performance.now() + SLOW_FOR_MS;
    const heldMs = place.isSlow ? (this.slowNodes.get(place.nodeId)?.heldMs ?? 0) : 0;
    this.slowNodes.set(place.nodeId, { until, heldMs });
    this.admit();
  }

  private admit(): void {
    const inTurn = [...this.waiting].toSorted(([one], [other]) => one.used - other.used);
    for (const [place, enter] of inTurn) {
      if (!this.hasRoom(place.isSlow) && !this.giveOn(place)) continue;
      this.waiting.delete(place);
      this.places.add(place);
      enter();
    }
  }

  private hasRoom(isSlow: boolean): boolean {
    const taken = [...this.places].filter((place) => place.isSlow === isSlow).length;
    return taken < (isSlow ? MAX_SLOW : MAX_ORDINARY);
  }

  /** Frees a place that the waiting node can have and another one has held for too long, if there is one. */
  private giveOn(waiting: Place): boolean {
    return waiting.isSlow ? this.giveOnSlow(waiting) : this.giveOnOrdinary();
  }

  private giveOnOrdinary(): boolean {
    const late = [...this.places].find(({ isSlow, isOverdue }) => isOverdue && !isSlow);
    if (!late) return false;
    if (this.hasRoom(true)) late.isSlow = true;
    else this.giveUp(late, this.ordinaryMs, 'other nodes waited: it takes turns with other slow nodes now');
    return true;
  }

  private giveOnSlow(waiting: Place): boolean {
    const turns = Math.min(2 ** waiting.used, MAX_TURNS);
    const [late] = [...this.places]
      .filter((place) => place.isSlow && place.turns >= turns)
      .toSorted((one, other) => other.used - one.used);
    if (!late) return false;
    this.giveUp(late, this.slowMs * late.turns, 'other slow nodes waited: these take turns, which grow longer');
    return true;
  }

  private giveUp(place: Place, ms: number, why: string): void {
    this.places.delete(place);
    place.givenUp.abort(new NodeProblem(`it had not taken its full set of users after ${ms / 1_000} s, while ${why}`));
  }
}
