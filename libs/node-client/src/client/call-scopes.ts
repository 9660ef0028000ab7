import type { CallOptions } from '../api/node-client.js';
import { NodeClientError } from '../errors/node-client-error.js';

/** The longest timer of Node.js: a longer one fires at once. (This package is published, so it cannot use `@rampart/domain`.) */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface CallScope {
  /** Aborted with the NodeClientError that the call ends with. */
  readonly signal: AbortSignal;
  release(): void;
}

/** The open calls of one client. Each ends by its time-out, by its caller's signal, or by close(). */
export class CallScopes {
  private readonly open = new Set<AbortController>();
  private closed = false;

  constructor(private readonly defaultTimeoutMs: number) {}

  /** With `isOpen`, only the time until it holds counts: some nodes answer a stream's call with its first message. */
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

  /** Runs one call; when its scope has ended, that is its error, whatever the transport says. */
  async run<T>(options: CallOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const scope = this.begin(options);
    try {
      scope.signal.throwIfAborted();
      // Work may wait for something that hears no signal, such as a caller's iterator.
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

/** Why a time-out cannot be one, or undefined. */
export const timeoutProblem = (milliseconds: number): string | undefined =>
  milliseconds > 0 ? undefined : 'timeoutMs must be greater than 0; use Infinity for no end';

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const closedError = (): NodeClientError => new NodeClientError('CANCELLED', 'the client is closed');
