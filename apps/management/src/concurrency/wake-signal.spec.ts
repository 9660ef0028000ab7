import { describe, expect, it } from '@jest/globals';
import { WakeSignal } from './wake-signal.js';

const LONG = 60_000;

describe(WakeSignal.name, () => {
  it('ends a sleep, even one that begins later', async () => {
    const signal = new WakeSignal();
    const sleep = signal.sleep(LONG);
    signal.wake();
    await sleep;
    await signal.sleep(LONG);
  });

  it('forgets a wake after a reset', async () => {
    const signal = new WakeSignal();
    signal.wake();
    signal.reset();
    let awake = false;
    const sleep = signal.sleep(LONG).then(() => {
      awake = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(awake).toBe(false);
    signal.wake();
    await sleep;
  });

  it('lets a sleep end after its time', async () => {
    await new WakeSignal().sleep(1);
  });
});
