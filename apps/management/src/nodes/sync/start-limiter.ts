import type { NodeClient } from '@rampart/node-client';
import { NodeProblem } from '../store/node-problem.js';

/** Ordinary nodes that get a full set at once. */
const MAX_ORDINARY = 4;
/** Nodes beside them that take longer, or have lately. */
const MAX_SLOW = 4;
/** Time within which an ordinary node has taken its full set, in milliseconds. */
const ORDINARY_MS = 10_000;
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
}

/**
 * Limits how many nodes get a full set of users at once, because each set is held in memory while it is sent. A node that
 * takes long keeps no other waiting, however it answers in the end: its place is given on, and it takes one of those for
 * slow nodes, now if one is free, and else the next time.
 */
export class StartLimiter {
  private readonly places = new Set<Place>();
  /** In the order of their arrival. */
  private readonly waiting = new Map<Place, () => void>();
  /** By node, until when it counts as slow. */
  private readonly slowUntil = new Map<number, number>();

  constructor(private readonly ordinaryMs = ORDINARY_MS) {}

  /** @param signal ends the wait, not the task */
  async run<T>(
    nodeId: number,
    client: Pick<NodeClient, 'info'>,
    task: (place: StartPlace) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const isSlow = (this.slowUntil.get(nodeId) ?? 0) > performance.now();
    const place: Place = { nodeId, isSlow, isOverdue: false, givenUp: new AbortController() };
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
    const timer = setTimeout(() => this.overdue(place), this.ordinaryMs);
    const { signal } = place.givenUp;
    try {
      return await work(signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private overdue(place: Place): void {
    place.isOverdue = true;
    this.slowUntil.set(place.nodeId, performance.now() + SLOW_FOR_MS);
    this.admit();
  }

  private admit(): void {
    for (const [place, enter] of this.waiting) {
      if (!this.hasRoom(place.isSlow) && (place.isSlow || !this.giveOn())) continue;
      this.waiting.delete(place);
      this.places.add(place);
      enter();
    }
  }

  private hasRoom(isSlow: boolean): boolean {
    const taken = [...this.places].filter((place) => place.isSlow === isSlow).length;
    return taken < (isSlow ? MAX_SLOW : MAX_ORDINARY);
  }

  /** Frees an ordinary place of a node that takes long, if there is one. */
  private giveOn(): boolean {
    const late = [...this.places].find(({ isSlow, isOverdue }) => isOverdue && !isSlow);
    if (!late) return false;
    if (this.hasRoom(true)) late.isSlow = true;
    else {
      this.places.delete(late);
      const time = `${this.ordinaryMs / 1_000} s`;
      late.givenUp.abort(
        new NodeProblem(
          `it had not taken its full set of users after ${time}, while other nodes waited: it takes turns with other slow nodes now`,
        ),
      );
    }
    return true;
  }
}
