import { EventEmitter } from 'node:events';
import { status } from '@grpc/grpc-js';
import { ReferenceRefusal } from './reference-refusal.js';

/**
 * The Starts of a {@link ReferenceNode}: while one runs, every other call waits. `begun` is emitted when an engine begins to
 * start, `waiting` when a call has to wait for it, and `ended` when it is ready or was killed.
 */
export class ReferenceStarts extends EventEmitter<{ begun: []; waiting: []; ended: [] }> {
  private running: Promise<unknown> | undefined;
  private gate: Promise<void> = Promise.resolve();

  /** Engines that start from now on are ready only when the returned function has been called. */
  hold(): () => void {
    let open = (): void => undefined;
    this.gate = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  }

  async untilIdle(): Promise<void> {
    while (this.running !== undefined) {
      this.emit('waiting');
      await this.running;
    }
  }

  /**
   * Resolves when the engine is ready.
   *
   * @param broken aborts when the client gives the call up, which kills the engine
   */
  async untilReady(broken: AbortSignal): Promise<void> {
    const ready = Promise.race([this.gate, abortOf(broken)]);
    this.running = ready.catch(() => undefined);
    this.emit('begun');
    try {
      await ready;
    } finally {
      this.running = undefined;
      this.emit('ended');
    }
  }
}

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = (): void => reject(new ReferenceRefusal(503, status.UNKNOWN, 'context canceled'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
