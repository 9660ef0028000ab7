import { messageOf, StrategyFailed } from './errors.js';
import type { TransferLimits } from './strategy.js';

const MAX_REDIRECTS = 5;
const MAX_BYTES = 256 * 1024 * 1024;

export interface Transfer extends TransferLimits {
  signal: AbortSignal | undefined;
}

/** A time limit that can be extended. When it passes, `signal` aborts and `passed` holds the reason. */
class Deadline {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal;
  passed: StrategyFailed | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.signal = outer ? AbortSignal.any([outer, this.controller.signal]) : this.controller.signal;
  }

  moveTo(ms: number, reason: () => string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.passed = new StrategyFailed(reason());
      this.controller.abort();
    }, ms);
  }

  /** Ends the timer and aborts any transfer that still uses the signal. */
  end(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }
}

/**
 * Downloads a URL, following redirects. `onProgress` gets the bytes received and the total, if the server announces it.
 * Throws StrategyFailed with the reason for a timeout, an error status, a stall or a connection that is cut.
 */
export async function download(
  url: string,
  { answerMs, stallMs, signal }: Transfer,
  onProgress: (received: number, total: number) => void = () => {},
): Promise<Buffer> {
  const deadline = new Deadline(signal);
  const { host } = new URL(url);
  let received = 0;
  let cut: (() => string) | undefined;
  try {
    const response = await answer(new URL(url), answerMs, deadline);
    if (!response.ok) throw new StrategyFailed(`${url} answers ${response.status}`);
    const total = Number(response.headers.get('content-length')) || undefined;
    const extent = () => `${received}${total ? ` of ${total}` : ''} bytes`;
    cut = () => `the connection was cut after ${extent()} of ${url}`;
    const chunks: Uint8Array[] = [];
    const awaitMore = () => deadline.moveTo(stallMs, () => `${host} fell silent after ${extent()} of ${url}`);
    awaitMore();
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      received += chunk.length;
      if (received > MAX_BYTES) throw new StrategyFailed(`${url} is larger than ${MAX_BYTES} bytes`);
      if (total) onProgress(received, total);
      awaitMore();
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof StrategyFailed) throw error;
    throw deadline.passed ?? new StrategyFailed(cut?.() ?? `cannot reach ${host} (${causeOf(error)})`);
  } finally {
    deadline.end();
  }
}

/** Follows redirects and returns the first response that is none. */
async function answer(url: URL, answerMs: number, deadline: Deadline): Promise<Response> {
  let at = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const { host } = at;
    deadline.moveTo(answerMs, () => `${host} did not answer within ${answerMs / 1000} s`);
    const headers = { 'accept-encoding': 'identity', 'user-agent': 'rampart-engine' };
    const response = await fetch(at, { redirect: 'manual', signal: deadline.signal, headers });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || !location) return response;
    await response.body?.cancel();
    const next = new URL(location, at);
    if (at.protocol === 'https:' && next.protocol !== 'https:') {
      throw new StrategyFailed(`${at.href} redirects away from https, to ${next.href}`);
    }
    at = next;
  }
  throw new StrategyFailed(`${url.href} redirects more than ${MAX_REDIRECTS} times`);
}

/** Returns the message of the cause: `fetch` throws a TypeError whose own message says nothing. */
function causeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('cause' in error && error.cause) return causeOf(error.cause);
  return 'code' in error ? String(error.code) : messageOf(error);
}
