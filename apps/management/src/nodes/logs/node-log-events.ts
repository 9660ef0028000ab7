import { type Log, NodeClientError } from '@rampart/node-client';
import { WakeSignal } from '../../concurrency/wake-signal.js';

const LINE_BREAK = /\r\n|\r|\n/;

/**
 * Log lines as Server-Sent Events, with a comment when no line came for `quietMs`. A line is read from the node only when
 * the one before has been taken.
 */
export async function* logEvents(lines: AsyncIterable<Log>, quietMs: number): AsyncGenerator<string, void, void> {
  // The response headers are sent together with the first bytes.
  yield ': open\n\n';
  const reading = lines[Symbol.asyncIterator]();
  try {
    for (let next = startReading(reading); ; ) {
      const line = await within(next, quietMs);
      if (line === 'quiet') {
        yield ': alive\n\n';
        continue;
      }
      if (line.done) return;
      yield eventOf(line.value);
      next = startReading(reading);
    }
  } catch (error) {
    // The stream ends when the node is gone; the next request is answered with the reason.
    if (!(error instanceof NodeClientError)) throw error;
  } finally {
    await reading.return?.();
  }
}

/** Starts reading a line. A failure while nobody awaits it is no unhandled rejection. */
function startReading<T>(reading: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = reading.next();
  next.catch(() => undefined);
  return next;
}

async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'quiet'> {
  const timer = new WakeSignal();
  try {
    return await Promise.race([promise, timer.sleep(milliseconds).then(() => 'quiet' as const)]);
  } finally {
    timer.wake();
  }
}

const eventOf = ({ detail }: Log): string =>
  `${detail
    .split(LINE_BREAK)
    .map((part) => `data: ${part}\n`)
    .join('')}\n`;
