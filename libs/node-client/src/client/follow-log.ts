import { NodeClientError } from '../errors/node-client-error.js';
import type { Log } from '../gen/service.js';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export interface FollowedLog {
  /** One connection: the lines after a sequence number. */
  read(after: bigint, opened: () => void): AsyncIterable<Log>;
  /** Which life of the node this is. */
  bootId(): Promise<string>;
  readonly after: bigint;
  readonly signal?: AbortSignal;
}

/**
 * A log that goes on where it was lost, until the signal aborts or the node will not have us any more. What fails before
 * the log was ever open fails at once.
 */
export async function* followLog({ read, bootId, after, signal }: FollowedLog): AsyncGenerator<Log, void, void> {
  let last = after;
  let life: string | undefined;
  let wait = FIRST_PAUSE_MS;
  while (!signal?.aborted) {
    try {
      const now = await bootId();
      // A node that was started anew numbers its lines from 1 again.
      if (life !== undefined && now !== life) last = 0n;
      const lines = read(last, () => {
        life = now;
        wait = FIRST_PAUSE_MS;
      });
      for await (const line of lines) {
        if (line.sequence > 0n) last = line.sequence;
        yield line;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (life === undefined || !isPassing(error)) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}

/** A node that comes up again waits for its Start. */
const isPassing = (error: unknown): boolean =>
  error instanceof NodeClientError && (error.retryable || error.code === 'BACKEND_NOT_INITIALIZED');

/** Ends early when the signal aborts. */
const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
  });
