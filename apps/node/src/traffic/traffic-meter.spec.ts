import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StatType } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { TrafficMeter } from './traffic-meter.js';

const reading = (users: Record<string, bigint>) => ({
  users: new Map(Object.entries(users).map(([email, downlink]) => [email, { uplink: 0n, downlink }])),
  inbounds: new Map([['in', { uplink: 1n, downlink: 0n }]]),
  outbounds: new Map([['idle', { uplink: 0n, downlink: 0n }]]),
});

describe('TrafficMeter', () => {
  it('lets others have their turn while it books many users, and answers with all of them', async () => {
    const users = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}.user`, 1n]));
    let reads = 0;
    let turns = 0;
    const meter: TrafficMeter = new TrafficMeter(
      async () => {
        reads += 1;
        if (reads === 1) void meter.add(reading(users));
      },
      () => undefined,
    );
    const refreshed = meter.refresh().then(() => true);
    while (!(await Promise.race([refreshed, turn()]))) turns += 1;
    expect(turns).toBeGreaterThanOrEqual(4);
    const { users: booked } = await meter.ledger.collectBatch('', 0n, 7n);
    expect(booked).toHaveLength(10_000);
    expect(await meter.totals.queryStats({ type: StatType.UsersStat, name: '', reset: true })).toHaveLength(20_000);
  });
});

describe('TrafficMeter that runs', () => {
  it('reads on, however often it is told to run', async () => {
    let reads = 0;
    const meter = new TrafficMeter(
      async () => {
        reads += 1;
      },
      () => undefined,
      50,
    );
    await eventually('it has read twice', () => {
      meter.run();
      return reads >= 2;
    });
    meter.halt();
  });
});

describe('TrafficMeter on disk', () => {
  let directory: string;
  let path: string;
  const meters: TrafficMeter[] = [];
  const warnings: string[] = [];

  /** A node that comes up; the one before was killed, it did not close its files. */
  const opened = async (): Promise<TrafficMeter> => {
    const meter = new TrafficMeter(
      async () => undefined,
      () => undefined,
    );
    meters.push(meter);
    await meter.open({ path, onWarning: (text) => warnings.push(text) });
    return meter;
  };
  const total = async (meter: TrafficMeter, name: string, reset = false) =>
    (await meter.totals.queryStats({ type: StatType.UserStat, name, reset }))[1]?.value ?? 0n;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rampart-traffic-'));
    path = join(directory, 'traffic');
    warnings.length = 0;
  });
  afterEach(async () => {
    await Promise.all(meters.splice(0).map((meter) => meter.close()));
    await rm(directory, { recursive: true, force: true });
  });

  it('goes on where it was killed: totals, resets, and a batch that is repeated until it is acknowledged', async () => {
    const first = await opened();
    await first.add(reading({ ann: 2n ** 60n, bob: 5n }));
    const batch = await first.ledger.collectBatch('', 0n, 7n);
    expect(batch.users).toEqual([
      { email: 'ann', uplink: 0n, downlink: 2n ** 60n },
      { email: 'bob', uplink: 0n, downlink: 5n },
    ]);
    await first.add(reading({ bob: 1n }));
    expect(await total(first, 'ann', true)).toBe(2n ** 60n);

    const second = await opened();
    expect([await total(second, 'ann'), await total(second, 'bob')]).toEqual([0n, 6n]);
    expect(await second.ledger.collectBatch('', 0n, 8n)).toEqual(batch);
    const next = await second.ledger.collectBatch(batch.ledger, 1n, 9n);
    expect(next).toMatchObject({
      ledger: batch.ledger,
      number: 2n,
      users: [{ email: 'bob', uplink: 0n, downlink: 1n }],
    });
    expect(await second.ledger.collectBatch(batch.ledger, 2n, 9n)).toMatchObject({ number: 0n });
    await second.close();

    const third = await opened();
    await third.add(reading({ ann: 3n }));
    expect(await third.ledger.collectBatch(batch.ledger, 2n, 9n)).toMatchObject({
      number: 3n,
      users: [{ email: 'ann' }],
    });
    expect(warnings).toEqual([]);
  });

  it('begins another ledger when its book is damaged: a number never means two contents', async () => {
    const first = await opened();
    await first.add(reading({ ann: 1n }));
    const { ledger } = await first.ledger.collectBatch('', 0n, 7n);
    await first.close();
    const bytes = await readFile(path);
    bytes[30] = 0xff - (bytes[30] ?? 0);
    await writeFile(path, bytes);
    const second = await opened();
    await second.add(reading({ ann: 2n }));
    const batch = await second.ledger.collectBatch(ledger, 1n, 8n);
    expect(batch).toMatchObject({ number: 1n, users: [{ email: 'ann', downlink: 2n }] });
    expect(batch.ledger).not.toBe(ledger);
    expect((await (await opened()).ledger.collectBatch('', 0n, 9n)).ledger).toBe(batch.ledger);
    expect(warnings.at(-1)).toBe('the traffic book begins anew: it could not be read to its end');
  });

  it('hands batches out while the disk is full, and counts them under another name after a crash', async () => {
    const first = await opened();
    await symlink('/dev/full', `${path}.new`);
    await first.add(reading({ ann: 1n }));
    const batch = await first.ledger.collectBatch('', 0n, 7n);
    expect(batch).toMatchObject({ number: 1n, users: [{ email: 'ann', downlink: 1n }] });
    expect(first.problem).toContain('the traffic book is not on disk: ENOSPC');
    const second = await opened();
    await second.add(reading({ ann: 2n }));
    expect((await second.ledger.collectBatch('', 0n, 8n)).ledger).not.toBe(batch.ledger);
  });
});
