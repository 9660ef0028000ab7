import { setTimeout, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { StatType } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { reading } from './testing/reading.js';
import { TrafficMeter } from './traffic-meter.js';
import { TrafficStore } from './traffic-store.js';

describe(TrafficMeter.name, () => {
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
  it('the traffic meter makes no reading of its own while others ask for readings more often', async () => {
    let asked = 0;
    let reads = 0;
    const meter = new TrafficMeter(
      async () => {
        reads += 1;
        return [];
      },
      new TrafficStore(),
      () => undefined,
      500,
    );
    meter.startReading();
    const until = performance.now() + 1_200;
    await eventually('others have asked for longer than two intervals', async () => {
      asked += 1;
      await meter.refresh();
      return performance.now() > until;
    });
    expect(reads).toBe(asked);
    await eventually('it reads again, as nobody else does', (saw) => saw(reads) > asked);
    meter.stopReading();
  });
  it('the traffic meter makes a reading for each batch, but no second one within seconds where counters are very many', async () => {
    const readsFor = async (counters: number) => {
      let reads = 0;
      const read = async () => {
        reads += 1;
        return [{ ...reading({}), counters }];
      };
      const meter = new TrafficMeter(read, new TrafficStore(), () => undefined);
      for (let batch = 0; batch < 3; batch += 1) {
        await meter.refreshForBatch();
        await setTimeout(5);
      }
      return reads;
    };
    expect(await readsFor(0)).toBe(3);
    expect(await readsFor(20)).toBe(3);
    expect(await readsFor(10_000_000)).toBe(1);
  });

  it('the traffic meter makes no second reading for a batch that comes during one of very many counters', async () => {
    let reads = 0;
    let answer = (): void => undefined;
    const read = async () => {
      reads += 1;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return [{ ...reading({}), counters: 10_000_000 }];
    };
    const meter = new TrafficMeter(read, new TrafficStore(), () => undefined);
    const first = meter.refresh();
    const batch = meter.refreshForBatch();
    answer();
    await Promise.all([first, batch]);
    expect(reads).toBe(1);
  });

  it('the traffic meter pauses for longer after a slow reading of very many counters, but not of few', async () => {
    const pauseAfter = async (counters: number) => {
      const began: number[] = [];
      let ended = 0;
      const read = async () => {
        began.push(performance.now());
        if (began.length === 1) {
          await setTimeout(50);
          ended = performance.now();
        }
        return [{ ...reading({}), counters }];
      };
      const meter = new TrafficMeter(read, new TrafficStore(), () => undefined, 20);
      meter.startReading();
      await eventually('it has read twice', (saw) => saw(began).length >= 2);
      await meter.close();
      return began[1]! - ended;
    };
    expect(await pauseAfter(10_000_000)).toBeGreaterThan(900);
    expect(await pauseAfter(20)).toBeLessThan(900);
  });
});
