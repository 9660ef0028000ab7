import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { StatType } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { reading } from './testing/reading.js';
import { TrafficMeter } from './traffic-meter.js';
import { TrafficStore } from './traffic-store.js';

describe('TrafficMeter', () => {
  it('recording many users lets other work run, and resolves when all of them are counted', async () => {
    const users = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}.user`, 1n]));
    let reads = 0;
    let turns = 0;
    const store = new TrafficStore();
    const meter = new TrafficMeter(
      async () => {
        reads += 1;
        return reads === 1 ? [reading(users)] : [];
      },
      store,
      () => undefined,
    );
    const refreshed = meter.refresh().then(() => true);
    while (!(await Promise.race([refreshed, turn()]))) turns += 1;
    expect(turns).toBeGreaterThanOrEqual(4);
    const { users: booked } = await store.outbox.collectBatch('', 0n, 7n);
    expect(booked).toHaveLength(10_000);
    expect(await store.totals.queryStats({ type: StatType.UsersStat, name: '', reset: true })).toHaveLength(20_000);
  });

  it('the traffic meter keeps reading, however often it is started', async () => {
    let reads = 0;
    const meter = new TrafficMeter(
      async () => {
        reads += 1;
        return [];
      },
      new TrafficStore(),
      () => undefined,
      50,
    );
    await eventually('it has read twice', () => {
      meter.startReading();
      return reads >= 2;
    });
    meter.stopReading();
  });
});
