import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { parseEvents } from './event-stream.js';

async function* chunksOf(text: string, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [index, edge] of edges.entries()) yield bytes.subarray(edge, edges[index + 1]);
}

async function read(text: string, cuts?: readonly number[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const { detail } of parseEvents(chunksOf(text, cuts))) lines.push(detail);
  return lines;
}

describe(parseEvents.name, () => {
  it('skips comments, ids and empty data', async () => {
    expect(await read(': open\n\nid: 7\ndata: first\n\n: alive\n\nid: 8\ndata: second\n\n')).toEqual([
      'first',
      'second',
    ]);
  });

  it('returns the id of an event as its sequence', async () => {
    const events = [];
    for await (const event of parseEvents(chunksOf('id: 7\ndata: a\n\nid: x\ndata: b\n\nbare\n'))) events.push(event);
    expect(events).toEqual([
      { detail: 'a', sequence: 7n },
      { detail: 'b', sequence: 0n },
      { detail: 'bare', sequence: 0n },
    ]);
  });

  it('joins the data lines of one event', async () => {
    expect(await read('data: two\ndata: lines\n\n')).toEqual(['two\nlines']);
  });

  it('removes one space after the colon', async () => {
    expect(await read('data:  indented\n\ndata:tight\n\n')).toEqual([' indented', 'tight']);
  });

  it('returns the plain lines of other nodes', async () => {
    expect(await read('\nXray 26.3.27 started\n\n2026/01/01 accepted tcp:a:443\r\n')).toEqual([
      'Xray 26.3.27 started',
      '2026/01/01 accepted tcp:a:443',
    ]);
  });

  it('drops an incomplete event', async () => {
    expect(await read('data: whole\n\ndata: half')).toEqual(['whole']);
  });

  it('security row 41: refuses a line that is too long', async () => {
    const message = 'a log line is longer than 524288 characters';
    await expect(read('x'.repeat(512 * 1024 + 1))).rejects.toThrow(message);
    await expect(read(`data: ${'x'.repeat(1024)}\n`.repeat(512))).rejects.toThrow(message);
  });

  it.each([
    ['empty lines', '\n'],
    ['comments', ':\n'],
    ['long comments', `: ${'x'.repeat(1_000)}\n`],
    ['ids', 'id: 1\n'],
    ['pauses', 'retry: 1\n'],
    ['line ends of Windows', '\r\n'],
  ])('security row 39: ends a stream of nothing but %s', async (_, line) => {
    const chunk = Buffer.alloc(64 * 1_024, line);
    let chunks = 0;
    const endless = async function* () {
      for (; chunks < 256; chunks += 1) yield chunk;
    };
    await expect(parseEvents(endless()).next()).rejects.toMatchObject({
      code: 'PROTOCOL',
      message: 'the log is hardly anything but empty lines and comments',
    });
    expect(chunks).toBeLessThanOrEqual(17);
  });

  it('security row 39: ends a stream in chunks of one byte without events', async () => {
    const endless = async function* () {
      for (let count = 0; count < 20_000; count += 1) yield Buffer.from('x');
    };
    await expect(parseEvents(endless()).next()).rejects.toMatchObject({ code: 'PROTOCOL' });
  });

  it('security row 39: lets others work while it reads what makes no event', async () => {
    let turns = 0;
    const ended = new AbortController();
    const count = (): void => {
      turns += 1;
      if (!ended.signal.aborted) setImmediate(count);
    };
    setImmediate(count);
    const chunks = async function* () {
      for (let count = 0; count < 100; count += 1) yield Buffer.from('\n'.repeat(50));
    };
    for await (const event of parseEvents(chunks())) expect(event).toBeUndefined();
    ended.abort();
    expect(turns).toBeGreaterThanOrEqual(99);
  });

  it('goes on for days with a comment now and then, and with any number of events', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const chunks = async function* () {
      for (let count = 0; count < 30_000; count += 1) {
        jest.advanceTimersByTime(15_000);
        yield Buffer.from(': alive\n\n');
      }
      for (let count = 0; count < 30_000; count += 1) yield Buffer.from(`id: ${count}\nevent: line\ndata: x\n\n`);
    };
    let events = 0;
    for await (const { detail } of parseEvents(chunks())) events += Number(detail === 'x');
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    expect(events).toBe(30_000);
  });

  it('returns the same events however the bytes are split', async () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replace(/[\r\n]/g, ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, cuts) => {
        const text = lines.map((data, id) => `id: ${id}\ndata: ${data}\n\n`).join('');
        expect(await read(text, cuts)).toEqual(lines);
      }),
    );
  });
});
