import { type Log, NodeClientError } from '@rampart/node-client';
import { WakeSignal } from '../../concurrency/wake-signal.js';

const LINE_BREAK = /\r\n|\r|\n/;

/** Log lines as Server-Sent Events, with a comment when nothing was said for a while. Reads no faster than it is read. */
export async function* logEvents(lines: AsyncIterable<Log>, quietMs: number): AsyncGenerator<string, void, void> {
  // The headers leave with the first bytes.
  yield ': open\n\n';
  const reading = lines[Symbol.asyncIterator]();
  try {
    for (let next = begun(reading); ; ) {
      const line = await within(next, quietMs);
      if (line === 'quiet') {
        yield ': alive\n\n';
        continue;
      }
      if (line.done) return;
      yield eventOf(line.value);
      next = begun(reading);
    }
  } catch (error) {
    // A node that is gone ends the stream; whoever comes back is told why.
    if (!(error instanceof NodeClientError)) throw error;
  } finally {
    await reading.return?.();
  }
}

/** It may fail while nobody waits for it. */
function begun<T>(reading: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = reading.next();
  next.catch(() => undefined);
  return next;
}

async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'quiet'> {
  const alarm = new WakeSignal();
  try {
    return await Promise.race([promise, alarm.sleep(milliseconds).then(() => 'quiet' as const)]);
  } finally {
    alarm.wake();
  }
}

const eventOf = ({ detail }: Log): string =>
  `${detail
    .split(LINE_BREAK)
    .map((part) => `data: ${part}\n`)
    .join('')}\n`;
