import { NodeClientError } from '../errors/node-client-error.js';
import type { Log } from '../gen/service.js';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

/** A log that can be read again after a lost connection. */
export interface FollowedLog {
  /**
   * Reads the lines after a sequence number over one connection. `opened` is called when the node has accepted the call.
   */
  read(after: bigint, opened: () => void): AsyncIterable<Log>;
  /** The boot id of the node, which changes when the node restarts. */
  bootId(): Promise<string>;
  readonly after: bigint;
  readonly signal?: AbortSignal;
}

/**
 * Reads a log and continues it after a lost connection, until the signal aborts or the node refuses the call. An error
 * before the log was open for the first time is thrown at once.
 */
export async function* followLog({ read, bootId, after, signal }: FollowedLog): AsyncGenerator<Log, void, void> {
  let last = after;
  let lastBootId: string | undefined;
  let wait = FIRST_PAUSE_MS;
  while (!signal?.aborted) {
    try {
      const now = await bootId();
      // A node that has restarted numbers its lines from 1 again.
      if (lastBootId !== undefined && now !== lastBootId) last = 0n;
      const lines = read(last, () => {
        lastBootId = now;
        wait = FIRST_PAUSE_MS;
      });
      for await (const line of lines) {
        if (line.sequence > 0n) last = line.sequence;
        yield line;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (lastBootId === undefined || !isTemporary(error)) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, MAX_PAUSE_MS);
  }
}

/** Whether a later attempt may succeed. A node that has restarted has no backend until its next Start. */
const isTemporary = (error: unknown): boolean =>
  error instanceof NodeClientError && (error.retryable || error.code === 'BACKEND_NOT_INITIALIZED');

/** Waits; ends early when the signal aborts. */
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
