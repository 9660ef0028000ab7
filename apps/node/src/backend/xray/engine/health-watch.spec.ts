import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { MAX_BUSY_MS } from '../api/patience.js';
import { HealthWatch } from './health-watch.js';
import { STABLE_MS } from './supervisor.js';

/** Answers after a delay, or never. */
class Peer {
  answers = 0;
  probes = 0;
  delayMs?: number;
  /** Undefined: what it uses of processors cannot be seen. */
  processorShare?: number;

  get processorMs(): number | undefined {
    return this.processorShare && Date.now() * this.processorShare;
  }

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
  let busy: jest.Mock<() => void>;
  let watch: HealthWatch;

  beforeEach(() => {
    jest.useFakeTimers();
    peer = new Peer();
    hung = jest.fn<() => void>();
    busy = jest.fn<() => void>();
    watch = new HealthWatch(peer, { busy, hung });
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
    expect(busy).not.toHaveBeenCalled();
  });

  it('security row 131: an engine that works without answering gets a minute', async () => {
    peer.processorShare = 0.06;
    await jest.advanceTimersByTimeAsync(4000);
    expect(busy).toHaveBeenCalledTimes(1);
    // The first probe was sent at the third tick.
    expect(Date.now() - Number(watch.busySince)).toBe(4000 - 750);
    expect(watch.isUnresponsive).toBe(false);
    await jest.advanceTimersByTimeAsync(56_500);
    expect(hung).not.toHaveBeenCalled();
    expect(watch.busySince).toBeDefined();
    await jest.advanceTimersByTimeAsync(250);
    expect(hung).toHaveBeenCalledTimes(1);
    expect(busy).toHaveBeenCalledTimes(1);
  });

  it('security row 131: an engine is busy no more once it answers anything', async () => {
    peer.processorShare = 2;
    for (let round = 1; round <= 3; round += 1) {
      await jest.advanceTimersByTimeAsync(50_000);
      expect(watch.busySince).toBeDefined();
      peer.answers += 1;
      await jest.advanceTimersByTimeAsync(250);
      expect(watch.busySince).toBeUndefined();
      expect(busy).toHaveBeenCalledTimes(round);
    }
    expect(hung).not.toHaveBeenCalled();
  });

  it('security row 131: an engine that is ended for being busy has run too long to count as one that fails', () => {
    expect(MAX_BUSY_MS).toBeGreaterThan(STABLE_MS);
  });

  it('an engine that was busy and stands still then is reported within six seconds', async () => {
    peer.processorShare = 1;
    await jest.advanceTimersByTimeAsync(20_000);
    jest.spyOn(peer, 'processorMs', 'get').mockReturnValue(peer.processorMs);
    await jest.advanceTimersByTimeAsync(6000);
    expect(hung).toHaveBeenCalledTimes(1);
  });

  it('an engine that uses less of a processor than Go itself may is not busy', async () => {
    peer.processorShare = 0.04;
    await jest.advanceTimersByTimeAsync(3750);
    expect(hung).toHaveBeenCalledTimes(1);
    expect(busy).not.toHaveBeenCalled();
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
    watch = new HealthWatch(peer, { busy, hung });
    await eventually('an answer is awaited', (saw) => saw(peer.probes) > 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3500);
    await setTimeout(600);
    expect(hung).not.toHaveBeenCalled();
    expect(watch.isUnresponsive).toBe(false);
  });
});
