import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type LogLine, LogRing } from './log-ring.js';

/** Reads all lines that are available. */
async function readAll(ring: LogRing, after?: bigint): Promise<LogLine[]> {
  const reading = new AbortController();
  const lines: LogLine[] = [];
  const reader = ring.readLines({ after, signal: reading.signal });
  for (;;) {
    const next = reader.next();
    const idle = new Promise<'idle'>((resolve) => setImmediate(() => resolve('idle')));
    const result = await Promise.race([next, idle]);
    if (result === 'idle') {
      reading.abort();
      await next;
      return lines;
    }
    if (result.done) return lines;
    lines.push(...result.value);
  }
}

const details = (lines: readonly LogLine[]) => lines.map(({ sequence, detail }) => `${sequence} ${detail}`);

describe(LogRing.name, () => {
  it('a log reader gets the kept lines at once, then new ones', async () => {
    const ring = new LogRing();
    ring.appendLine('one');
    ring.appendLine('two');
    const reader = ring.readLines({ signal: new AbortController().signal });
    expect((await reader.next()).value).toEqual([
      { sequence: 1n, detail: 'one' },
      { sequence: 2n, detail: 'two' },
    ]);
    const third = reader.next();
    ring.appendLine('three');
    expect((await third).value).toEqual([{ sequence: 3n, detail: 'three' }]);
    await reader.return();
  });

  it('a log reader gets a first line at once, and the lines right after it together', async () => {
    const ring = new LogRing();
    const reader = ring.readLines({ signal: new AbortController().signal });
    const first = reader.next();
    ring.appendLine('a');
    expect((await first).value).toEqual([{ sequence: 1n, detail: 'a' }]);
    const second = reader.next();
    for (const line of ['b', 'c']) {
      ring.appendLine(line);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await second).value).toEqual([
      { sequence: 2n, detail: 'b' },
      { sequence: 3n, detail: 'c' },
    ]);
    await reader.return();
  });

  it('a batch of log lines has a limited size', async () => {
    const ring = new LogRing();
    // A line costs its characters and 64 bytes, so 16 of these take 16 KiB.
    for (let count = 0; count < 40; count += 1) ring.appendLine('x'.repeat(960));
    const reader = ring.readLines({ signal: new AbortController().signal });
    const sizes: (number | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) sizes.push((await reader.next()).value?.length);
    expect(sizes).toEqual([16, 16, 8]);
    await reader.return();
  });

  it('a quiet log yields an empty batch, and no line is lost', async () => {
    const ring = new LogRing();
    const reader = ring.readLines({ signal: new AbortController().signal, quietMs: 5 });
    expect(await reader.next()).toEqual({ done: false, value: [] });
    expect(await reader.next()).toEqual({ done: false, value: [] });
    ring.appendLine('a');
    expect((await reader.next()).value).toEqual([{ sequence: 1n, detail: 'a' }]);
    await reader.return();
  });

  it('a log reader continues after a number, and starts from the beginning after one of another process', async () => {
    const ring = new LogRing();
    for (const line of ['a', 'b', 'c']) ring.appendLine(line);
    expect(details(await readAll(ring, 2n))).toEqual(['3 c']);
    expect(details(await readAll(ring, 3n))).toEqual([]);
    expect(details(await readAll(ring, 99n))).toEqual(['1 a', '2 b', '3 c']);
  });

  it('the log drops its oldest lines beyond its size and tells each reader how many it missed', async () => {
    // A line costs its characters and 64 bytes, so three of these fit.
    const ring = new LogRing({ maxBytes: 200 });
    ring.appendLine('a');
    const slow = ring.readLines({ signal: new AbortController().signal });
    expect((await slow.next()).value).toEqual([{ sequence: 1n, detail: 'a' }]);
    for (const line of ['b', 'c', 'd', 'e', 'f']) ring.appendLine(line);
    expect(details((await slow.next()).value ?? [])).toEqual(['3 2 lines dropped', '4 d', '5 e', '6 f']);
    await slow.return();
    expect(details(await readAll(ring))).toEqual(['4 d', '5 e', '6 f']);
    expect(details(await readAll(ring, 2n))).toEqual(['3 1 line dropped', '4 d', '5 e', '6 f']);
  });

  it('a log line that is too long is cut', async () => {
    const ring = new LogRing({ maxLineLength: 3 });
    ring.appendLine('abcd');
    ring.appendLine('abc');
    expect(details(await readAll(ring))).toEqual(['1 abc…', '2 abc']);
  });

  it('the log limits its readers, including those that have not begun, until one leaves', async () => {
    const ring = new LogRing({ maxReaders: 2 });
    ring.appendLine('a');
    const leave = new AbortController();
    let held = 0;
    const onOpen = () => {
      held += 1;
      return () => {
        held -= 1;
      };
    };
    const reader = ring.readLines({ signal: new AbortController().signal, onOpen });
    ring.readLines({ signal: AbortSignal.abort(), onOpen }); // has left already
    ring.readLines({ signal: leave.signal, onOpen });
    expect(() => ring.readLines({ signal: new AbortController().signal, onOpen })).toThrow(
      expect.objectContaining({
        code: 'TOO_MANY_READERS',
        message: 'the log already has 2 readers; close one and try again',
      }),
    );
    expect(held).toBe(2);
    leave.abort();
    expect(held).toBe(1);
    await reader.next();
    await reader.return();
    expect(held).toBe(0);
    expect(details(await readAll(ring))).toEqual(['1 a']);
  });

  it('a waiting log reader ends when its signal aborts', async () => {
    const reading = new AbortController();
    const next = new LogRing().readLines({ signal: reading.signal }).next();
    reading.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('the log keeps the newest lines in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 300 }), { maxLength: 60 }), async (lines) => {
        const ring = new LogRing({ maxBytes: 2000 });
        for (const line of lines) ring.appendLine(line);
        const kept = (await readAll(ring)).map(({ detail }) => detail);
        expect(kept).toEqual(lines.slice(lines.length - kept.length));
        const size = kept.reduce((sum, line) => sum + line.length + 64, 0);
        expect(size <= 2000).toBe(true);
        const next = lines[lines.length - kept.length - 1];
        if (next !== undefined) expect(size + next.length + 64).toBeGreaterThan(2000);
      }),
    );
  });
});
