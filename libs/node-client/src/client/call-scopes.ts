import type { CallOptions } from '../api/node-client.js';
import { NodeClientError } from '../errors/node-client-error.js';

/**
 * The longest timer of Node.js: a longer one fires at once. (This package is published, so it cannot use
 * `@rampart/domain`.)
 */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One open call. */
export interface CallScope {
  /** Aborted with the NodeClientError that the call must throw. */
  readonly signal: AbortSignal;
  /** Must be called when the call has ended. */
  release(): void;
}

/** The open calls of one client. A call is aborted by its timeout, by the signal of its caller, or by `close()`. */
export class CallScopes {
  private readonly open = new Set<AbortController>();
  private closed = false;

  constructor(private readonly defaultTimeoutMs: number) {}

  /**
   * Begins a call.
   *
   * @param isOpen when it returns true, the timeout has no effect any more: a stream may stay open for any time.
   */
  begin({ signal, timeoutMs = this.defaultTimeoutMs }: CallOptions, isOpen: () => boolean = () => false): CallScope {
    const controller = new AbortController();
    const cancel = (): void => controller.abort(new NodeClientError('CANCELLED', 'cancelled by the caller'));
    const expire = (): void => {
      if (!isOpen()) controller.abort(new NodeClientError('TIMEOUT', `no answer within ${timeoutMs} ms`));
    };
    const timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
    this.open.add(controller);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    if (this.closed) controller.abort(closedError());
    const problem = timeoutProblem(timeoutMs);
    if (problem !== undefined) controller.abort(new NodeClientError('INVALID_ARGUMENT', problem));
    return {
      signal: controller.signal,
      release: () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        this.open.delete(controller);
      },
    };
  }

  /** Runs one call. When its scope was aborted, that error is thrown instead of the one of the transport. */
  async run<T>(options: CallOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const scope = this.begin(options);
    try {
      scope.signal.throwIfAborted();
      // The work may wait for something that ignores the signal, such as an iterator of the caller.
      return await Promise.race([work(scope.signal), abortOf(scope.signal)]);
    } catch (error) {
      throw scope.signal.aborted ? scope.signal.reason : error;
    } finally {
      scope.release();
    }
  }

  close(): void {
    this.closed = true;
    for (const controller of this.open) controller.abort(closedError());
  }
}

/** What is wrong with a timeout; undefined when nothing is. */
export const timeoutProblem = (milliseconds: number): string | undefined =>
  milliseconds > 0 ? undefined : 'timeoutMs must be greater than 0; use Infinity for no end';

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const closedError = (): NodeClientError => new NodeClientError('CANCELLED', 'the client is closed');
