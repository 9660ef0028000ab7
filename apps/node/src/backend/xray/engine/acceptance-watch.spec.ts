import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OpenFiles } from '../process/open-files.js';
import { AcceptanceWatch } from './acceptance-watch.js';

/** Answers new connections or not, and calls over others or not. */
class Peer {
  answers = 0;
  counts = 0;
  accepts = true;
  alive = true;
  files: OpenFiles | undefined = { open: 10, limit: 1000 };

  knock(deadlineMs: number): Promise<void> {
    if (this.alive) this.answers += 1;
    if (this.accepts) return Promise.resolve();
    return new Promise((_, reject) => setTimeout(() => reject(new Error('no answer')), deadlineMs));
  }

  openFiles(): Promise<OpenFiles | undefined> {
    this.counts += 1;
    return Promise.resolve(this.files);
  }
}

const CAUSE =
  '; users who open thousands of connections or sessions at a time can be the cause, or RAMPART_NODE_ENGINE_FILES allows more';
const NEARLY_ALL_OPEN = `the engine has over 90 % of its 1000 files open, and takes no new connections without a free one${CAUSE}`;
const ALL_OPEN = `the engine takes no new connections: all of its 1000 files are open${CAUSE}`;

describe(AcceptanceWatch.name, () => {
  let peer: Peer;
  let told: (string | undefined)[];
  let watch: AcceptanceWatch;

  beforeEach(() => {
    jest.useFakeTimers();
    peer = new Peer();
    told = [];
    watch = new AcceptanceWatch(peer, (problem) => told.push(problem));
  });
  afterEach(() => {
    watch.stop();
    jest.useRealTimers();
  });

  it('counts files four times in a minute while all is well', async () => {
    await jest.advanceTimersByTimeAsync(60_000);
    expect([told, watch.isAccepting, watch.problem, peer.counts]).toEqual([[], true, undefined, 4]);
    expect(watch.files).toEqual({ open: 10, limit: 1000 });
  });

  it('security row 128: an engine that answers over open connections alone is told of within five seconds', async () => {
    await jest.advanceTimersByTimeAsync(10_000);
    peer.accepts = false;
    peer.files = { open: 999, limit: 1000 };
    await jest.advanceTimersByTimeAsync(5000);
    expect([told, watch.isAccepting, watch.problem]).toEqual([[NEARLY_ALL_OPEN, ALL_OPEN], false, ALL_OPEN]);
  });

  it('it counts as well again after five answers in a row', async () => {
    peer.accepts = false;
    peer.files = { open: 1000, limit: 1000 };
    await jest.advanceTimersByTimeAsync(5000);
    peer.accepts = true;
    await jest.advanceTimersByTimeAsync(3500);
    peer.accepts = false;
    await jest.advanceTimersByTimeAsync(2500);
    peer.accepts = true;
    peer.files = { open: 10, limit: 1000 };
    await jest.advanceTimersByTimeAsync(3500);
    expect(watch.isAccepting).toBe(false);
    await jest.advanceTimersByTimeAsync(3000);
    expect([watch.isAccepting, watch.problem, told.at(-1)]).toEqual([true, undefined, undefined]);
  });

  it('two connections without an answer are no problem, and an engine that answers nothing is one of the other watch', async () => {
    peer.accepts = false;
    await jest.advanceTimersByTimeAsync(2000);
    peer.accepts = true;
    await jest.advanceTimersByTimeAsync(5000);
    peer.accepts = false;
    peer.alive = false;
    await jest.advanceTimersByTimeAsync(60_000);
    expect([told, watch.isAccepting]).toEqual([[], true]);
  });

  it.each([
    [undefined, 'the engine takes no new connections, although it answers over those that are open'],
    [{ open: 10, limit: 1000 }, 'the engine takes no new connections, although it answers over those that are open'],
    [
      { open: 10, limit: Number.POSITIVE_INFINITY },
      'the engine takes no new connections, although it answers over those that are open',
    ],
  ])('the cause is not guessed where files are %j', async (files, problem) => {
    peer.accepts = false;
    peer.files = files;
    await jest.advanceTimersByTimeAsync(5000);
    expect(told).toEqual([problem]);
  });

  it('it tells before the last file is open', async () => {
    peer.files = { open: 901, limit: 1000 };
    await jest.advanceTimersByTimeAsync(16_000);
    peer.files = { open: 950, limit: 1000 };
    await jest.advanceTimersByTimeAsync(16_000);
    peer.files = { open: 900, limit: 1000 };
    await jest.advanceTimersByTimeAsync(16_000);
    expect(told).toEqual([NEARLY_ALL_OPEN, undefined]);
  });
});
