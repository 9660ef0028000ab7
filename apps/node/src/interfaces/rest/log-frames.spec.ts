import { describe, expect, it } from '@jest/globals';
import type { LogLine } from '../../node.service.js';
import { lines, untilAborted } from '../../testing/node-double.js';
import { bareFrames, eventFrames } from './log-frames.js';

async function* of(...details: string[]): AsyncGenerator<LogLine> {
  for (const [index, detail] of details.entries()) yield { sequence: BigInt(index + 1), detail };
}

async function read(frames: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const frame of frames) text += frame;
  return text;
}

describe('eventFrames', () => {
  it('numbers the events', async () => {
    expect(await read(eventFrames(of('one', ''), 1_000))).toBe(': open\n\nid: 1\ndata: one\n\nid: 2\ndata: \n\n');
  });

  it('keeps a line break inside its event', async () => {
    expect(await read(eventFrames(of('a\nid: 9\r\nb\rc'), 1_000))).toBe(
      ': open\n\nid: 1\ndata: a\ndata: id: 9\ndata: b\ndata: c\n\n',
    );
  });

  it('says that it is alive while nothing happens, and loses no line over it', async () => {
    const leave = new AbortController();
    const frames = eventFrames(lines(1)(0n, leave.signal), 5);
    const seen: (string | undefined)[] = [];
    for (let count = 0; count < 4; count += 1) seen.push((await frames.next()).value ?? undefined);
    expect(seen).toEqual([': open\n\n', 'id: 1\ndata: line 1\n\n', ': alive\n\n', ': alive\n\n']);
    leave.abort();
    await frames.return();
  });

  it('ends with its lines', async () => {
    const leave = new AbortController();
    const text = read(eventFrames(untilAborted(0n, leave.signal), 60_000));
    leave.abort();
    expect(await text).toBe(': open\n\n');
  });
});

describe('bareFrames', () => {
  it('gives each line one line', async () => {
    expect(await read(bareFrames(of('one', 'a\nb\r\nc')))).toBe('\none\na b c\n');
  });
});
