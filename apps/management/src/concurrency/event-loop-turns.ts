import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets callers continue one in each turn of the event loop, so that requests are answered between their work. */
export class EventLoopTurns {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves in a turn that no other caller has got. */
  next(): Promise<unknown> {
    this.last = this.last.then(() => nextTurn());
    return this.last;
  }
}
