import { describe, expect, it } from '@jest/globals';
import type { LogLine } from '../../node.service.js';
import { eventStreamFrames, plainTextFrames } from './log-frames.js';

/** Batches of lines, numbered from 1. */
async function* of(...batches: string[][]): AsyncGenerator<readonly LogLine[]> {
  let sequence = 0n;
  for (const batch of batches) {
    yield batch.map((detail) => {
      sequence += 1n;
      return { sequence, detail };
    });
  }
}

async function read(frames: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = [];
  for await (const frame of frames) texts.push(frame);
  return texts;
}

describe(eventStreamFrames.name, () => {
  it('Server-Sent Events have ids, and those of a batch are written together', async () => {
    const frames = await read(eventStreamFrames(of(['one', ''], ['three'])));
    expect(frames).toEqual([': open\n\n', 'id: 1\ndata: one\n\nid: 2\ndata: \n\n', 'id: 3\ndata: three\n\n']);
  });

  it('a line break stays inside its Server-Sent Event', async () => {
    const [, frame] = await read(eventStreamFrames(of(['a\nid: 9\r\nb\rc'])));
    expect(frame).toBe('id: 1\ndata: a\ndata: id: 9\ndata: b\ndata: c\n\n');
  });

  it('an empty batch is a comment in the event stream', async () => {
    const frames = await read(eventStreamFrames(of([], ['one'], [])));
    expect(frames).toEqual([': open\n\n', ': alive\n\n', 'id: 1\ndata: one\n\n', ': alive\n\n']);
  });
});

describe(plainTextFrames.name, () => {
  it('plain log text has one line for each log line, and an empty one for an empty batch', async () => {
    expect(await read(plainTextFrames(of(['one', 'a\nb\r\nc'], [])))).toEqual(['\n', 'one\na b c\n', '\n']);
  });
});
