import { describe, expect, it } from '@jest/globals';
import { type Log, NodeClientError } from '@rampart/node-client';
import { logEvents } from './node-log-events.js';

const lineOf = (detail: string): Log => ({ detail, sequence: 1n });

describe(logEvents.name, () => {
  it('sends a comment while no line comes, and loses no line meanwhile', async () => {
    let say: (line: Log) => void = () => undefined;
    const lines = (async function* () {
      yield await new Promise<Log>((resolve) => {
        say = resolve;
      });
    })();
    const events = logEvents(lines, 5);
    const read = async () => (await events.next()).value;
    expect([await read(), await read(), await read()]).toEqual([': open\n\n', ': alive\n\n', ': alive\n\n']);
    say(lineOf('at last'));
    let next = await read();
    while (next === ': alive\n\n') next = await read();
    expect([next, await read()]).toEqual(['data: at last\n\n', undefined]);
  });

  it('stops reading lines when its reader stops', async () => {
    let left = false;
    const lines = (async function* () {
      try {
        for (;;) yield lineOf('x');
      } finally {
        left = true;
      }
    })();
    for await (const event of logEvents(lines, 1_000)) if (event === 'data: x\n\n') break;
    expect(left).toBe(true);
  });

  it('ends when the node is gone, and throws any other error', async () => {
    const failing = (error: Error): AsyncIterable<Log> => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
    });
    const events: string[] = [];
    for await (const event of logEvents(failing(new NodeClientError('UNREACHABLE', 'gone')), 1_000)) events.push(event);
    expect(events).toEqual([': open\n\n']);
    const broken = logEvents(failing(new TypeError('ours')), 1_000);
    await broken.next();
    await expect(broken.next()).rejects.toThrow('ours');
  });
});
