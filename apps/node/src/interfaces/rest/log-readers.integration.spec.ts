import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { type LogLine, LogRing } from '../../logs/log-ring.js';
import { connectHttp2, KEY, send } from '../../testing/clients/https.js';
import { NodeDouble } from '../../testing/nodes/node-double.js';
import { RunningNode } from '../../testing/nodes/running-node.js';

const READERS = 1000;
const LINES = 60;
const LINE = 'x'.repeat(4000);
/** The ring holds about eight of these lines. */
const RING_BYTES = 32 * 1024;
const BURST = 5;
/** What may wait for one reader: the window of a stream (64 KiB), and 16 lines before it. */
const WAITING = 50;
const eventOf = (number: number): string => `id: ${number}\ndata: ${number} ${LINE}\n\n`;
const WHOLE = Array.from({ length: LINES }, (_, index) => eventOf(index + 1)).join('').length + ': open\n\n'.length;

// A thousand readers take half a minute of a busy machine.
jest.setTimeout(120_000);

describe('1,000 readers of the log', () => {
  const service = new NodeDouble();
  const ring = new LogRing({ maxBytes: RING_BYTES, maxReaders: READERS });
  /** Lines that each reader was given, in order of arrival. */
  const given: number[] = [];
  let node: RunningNode;
  /** The slow one has its own connection: its unread bytes fill the window of all streams. */
  let sessions: [slow: ClientHttp2Session, fast: ClientHttp2Session];

  beforeAll(async () => {
    service.log = (after, signal) => counted(given.push(0) - 1, ring.readLines({ after, signal }));
    node = await RunningNode.open({ service });
    sessions = [connectHttp2(node), connectHttp2(node)];
  });
  afterAll(async () => {
    for (const session of sessions) session.destroy();
    await node.close();
  });

  async function* counted(reader: number, batches: AsyncIterable<readonly LogLine[]>): AsyncGenerator<LogLine> {
    for await (const lines of batches) {
      given[reader] = (given[reader] ?? 0) + lines.length;
      yield* lines;
    }
  }

  const read = (session: ClientHttp2Session): ClientHttp2Stream => session.request({ ':path': '/logs', ...KEY });

  it('security row 23: a slow log reader neither grows memory nor delays others, and is told how many lines it missed', async () => {
    const slow = read(sessions[0]);
    await eventually('the slow one is open', (saw) => saw(given).length === 1);
    const received: number[] = [];
    const fast = Array.from({ length: READERS - 1 }, (_, index) => {
      received[index] = 0;
      return read(sessions[1]).on('data', (part: Buffer) => {
        received[index] = (received[index] ?? 0) + part.length;
      });
    });
    await eventually('all are open', (saw) => saw(given).length === READERS);
    await eventually('one more is refused', async (saw) => saw(await send(node, 'GET', '/logs')).status === 429);

    for (let number = 1; number <= LINES; number += 1) {
      ring.appendLine(`${number} ${LINE}`);
      if (number % BURST === 0) {
        await eventually('the fast ones have all of them', (saw) =>
          saw(given.slice(1, READERS)).every((lines) => lines === number),
        );
      }
    }
    await eventually('everything has arrived everywhere', (saw) => saw(received).every((bytes) => bytes === WHOLE));

    expect(given[0]).toBeLessThan(WAITING);
    let text = '';
    slow.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    await eventually('the slow one has come to the end', (saw) => saw(text).endsWith(eventOf(LINES)));
    const [, dropped] = /data: (\d+) lines dropped\n/.exec(text) ?? [];
    const lines = text.split('\n').filter((line) => line.endsWith(LINE)).length;
    expect(lines + Number(dropped)).toBe(LINES);

    slow.close();
    for (const stream of fast) stream.close();
    await eventually('all are gone', (saw) => saw(service.readers) === 0);
    expect(await send(node, 'GET', '/info')).toMatchObject({ status: 200 });
  }, 120_000);
});
