import { describe, expect, it } from '@jest/globals';
import { WakeSignal } from './wake-signal.js';

const LONG = 60_000;

describe('WakeSignal', () => {
  it('ends a sleep, even one that begins later', async () => {
    const alarm = new WakeSignal();
    const sleep = alarm.sleep(LONG);
    alarm.wake();
    await sleep;
    await alarm.sleep(LONG);
  });

  it('forgets a wake after a reset', async () => {
    const alarm = new WakeSignal();
    alarm.wake();
    alarm.reset();
    let awake = false;
    const sleep = alarm.sleep(LONG).then(() => {
      awake = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(awake).toBe(false);
    alarm.wake();
    await sleep;
  });

  it('lets a sleep end after its time', async () => {
    await new WakeSignal().sleep(1);
  });
});
