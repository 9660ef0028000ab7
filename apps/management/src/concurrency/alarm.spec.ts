import { describe, expect, it } from '@jest/globals';
import { Alarm } from './alarm.js';

const LONG = 60_000;

describe('Alarm', () => {
  it('ends a sleep, also one that begins later', async () => {
    const alarm = new Alarm();
    const sleep = alarm.sleep(LONG);
    alarm.ring();
    await sleep;
    await alarm.sleep(LONG);
  });

  it('is silent again after a reset', async () => {
    const alarm = new Alarm();
    alarm.ring();
    alarm.reset();
    let awake = false;
    const sleep = alarm.sleep(LONG).then(() => {
      awake = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(awake).toBe(false);
    alarm.ring();
    await sleep;
  });

  it('lets a sleep end by itself', async () => {
    await new Alarm().sleep(1);
  });
});
