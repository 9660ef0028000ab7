import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { HealthWatch } from './health-watch.js';

/** Answers after a delay, or never. */
class Peer {
  answers = 0;
  probes = 0;
  delayMs?: number;

  probe(): Promise<void> {
    this.probes += 1;
    const { delayMs } = this;
    return new Promise((resolve) => {
      if (delayMs === undefined) return;
      globalThis.setTimeout(() => {
        this.answers += 1;
        resolve();
      }, delayMs);
    });
  }
}

describe(HealthWatch.name, () => {
  let peer: Peer;
  let hung: jest.Mock<() => void>;
  let watch: HealthWatch;

  beforeEach(() => {
    jest.useFakeTimers();
    peer = new Peer();
    hung = jest.fn<() => void>();
    watch = new HealthWatch(peer, hung);
  });
  afterEach(() => {
    watch.stop();
    jest.useRealTimers();
  });

  it('the health watch probes about once a second and accepts slow answers', async () => {
    peer.delayMs = 1;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(peer.probes).toBe(13);
    peer.delayMs = 2500;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(hung).not.toHaveBeenCalled();
  });

  it('the health watch reports an engine once after three seconds without an answer', async () => {
    peer.delayMs = 1;
    await jest.advanceTimersByTimeAsync(5000);
    delete peer.delayMs;
    await jest.advanceTimersByTimeAsync(1250);
    expect(watch.isUnresponsive).toBe(false);
    await jest.advanceTimersByTimeAsync(1250);
    expect(watch.isUnresponsive).toBe(true);
    expect(hung).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1500);
    expect(hung).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(hung).toHaveBeenCalledTimes(1);
  });

  it('the health watch counts the answer to any other call as a sign of life', async () => {
    for (let second = 0; second < 30; second += 1) {
      await jest.advanceTimersByTimeAsync(1000);
      peer.answers += 1;
    }
    expect(hung).not.toHaveBeenCalled();
  });

  it('the health watch does not count time in which the node itself was suspended', async () => {
    jest.useRealTimers();
    watch.stop();
    watch = new HealthWatch(peer, hung);
    await eventually('an answer is awaited', () => peer.probes > 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3500);
    await setTimeout(600);
    expect(hung).not.toHaveBeenCalled();
    expect(watch.isUnresponsive).toBe(false);
  });
});
