import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StatType } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { reading } from './testing/reading.js';
import { TrafficStore } from './traffic-store.js';

describe('TrafficStore on disk', () => {
  let directory: string;
  let path: string;
  const stores: TrafficStore[] = [];
  const warnings: string[] = [];

  /** A new process of the node; the previous one was killed and did not close its files. */
  const opened = async (): Promise<TrafficStore> => {
    const store = new TrafficStore();
    stores.push(store);
    await store.open({ path, onWarning: (text) => warnings.push(text) });
    return store;
  };
  const total = async (store: TrafficStore, name: string, reset = false) =>
    (await store.totals.queryStats({ type: StatType.UserStat, name, reset }))[1]?.value ?? 0n;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rampart-traffic-'));
    path = join(directory, 'traffic');
    warnings.length = 0;
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await rm(directory, { recursive: true, force: true });
  });

  it('a run whose records are lost begins with what its counters show, and none of that is reported', async () => {
    const first = await opened();
    await first.beginRun('one', reading({ ann: 7n }));
    await first.recordTraffic({ ...reading({ ann: 2n }), run: 'one' });
    const second = await opened();
    expect(second.countedIn('one')?.users).toEqual(new Map([['ann', { uplink: 0n, downlink: 9n }]]));
    expect(await total(second, 'ann')).toBe(2n);
  });

  it('what was counted of a run of the engine continues after a kill and after a rewrite of the file', async () => {
    const first = await opened();
    await first.beginRun('one');
    await first.recordTraffic({ ...reading({ ann: 3n, bob: 5n }), run: 'one' });
    await first.recordTraffic({ ...reading({ ann: 2n }), run: 'one' });
    // A run that is not known counts as traffic all the same.
    await first.recordTraffic({ ...reading({ ann: 100n }), run: 'two' });
    await first.totals.queryStats({ type: StatType.UserStat, name: 'ann', reset: true });
    const counted = new Map([
      ['ann', { uplink: 0n, downlink: 5n }],
      ['bob', { uplink: 0n, downlink: 5n }],
    ]);
    expect(first.countedIn('one')?.users).toEqual(counted);

    const second = await opened();
    expect(second.countedIn('one')).toEqual({
      run: 'one',
      users: counted,
      inbounds: new Map([['in', { uplink: 2n, downlink: 0n }]]),
      outbounds: new Map(),
    });
    expect([await total(second, 'ann'), await total(second, 'bob')]).toEqual([0n, 5n]);
    expect(second.countedIn('two')).toBeUndefined();
    // Its bytes are in the snapshot of the file once, beside those of the columns.
    await second.discardOutdatedFile();
    await second.recordTraffic({ ...reading({ ann: 1n }), run: 'one' });
    await second.close();

    const third = await opened();
    expect(third.countedIn('one')?.users.get('ann')).toEqual({ uplink: 0n, downlink: 6n });
    expect(await total(third, 'ann')).toBe(1n);
    third.keepRuns(new Set());
    await third.recorded();
    expect(third.countedIn('one')).toBeUndefined();
    await third.close();
    expect((await opened()).countedIn('one')).toBeUndefined();
  });

  it('the traffic store continues after a kill: totals, resets, and a batch that is repeated until acknowledged', async () => {
    const first = await opened();
    await first.recordTraffic(reading({ ann: 2n ** 60n, bob: 5n }));
    const batch = await first.outbox.collectBatch('', 0n, 7n);
    expect(batch.users).toEqual([
      { email: 'ann', uplink: 0n, downlink: 2n ** 60n },
      { email: 'bob', uplink: 0n, downlink: 5n },
    ]);
    await first.recordTraffic(reading({ bob: 1n }));
    expect(await total(first, 'ann', true)).toBe(2n ** 60n);

    const second = await opened();
    expect([await total(second, 'ann'), await total(second, 'bob')]).toEqual([0n, 6n]);
    expect(await second.outbox.collectBatch('', 0n, 8n)).toEqual(batch);
    const next = await second.outbox.collectBatch(batch.ledger, 1n, 9n);
    expect(next).toMatchObject({
      ledger: batch.ledger,
      number: 2n,
      users: [{ email: 'bob', uplink: 0n, downlink: 1n }],
    });
    expect(await second.outbox.collectBatch(batch.ledger, 2n, 9n)).toMatchObject({ number: 0n });
    await second.close();

    const third = await opened();
    await third.recordTraffic(reading({ ann: 3n }));
    expect(await third.outbox.collectBatch(batch.ledger, 2n, 9n)).toMatchObject({
      number: 3n,
      users: [{ email: 'ann' }],
    });
    expect(warnings).toEqual([]);
  });

  it('a damaged traffic file begins another ledger, so that a number never means two contents', async () => {
    const first = await opened();
    await first.recordTraffic(reading({ ann: 1n }));
    const { ledger } = await first.outbox.collectBatch('', 0n, 7n);
    await first.close();
    const bytes = await readFile(path);
    bytes[30] = 0xff - (bytes[30] ?? 0);
    await writeFile(path, bytes);
    const second = await opened();
    await second.recordTraffic(reading({ ann: 2n }));
    const batch = await second.outbox.collectBatch(ledger, 1n, 8n);
    expect(batch).toMatchObject({ number: 1n, users: [{ email: 'ann', downlink: 2n }] });
    expect(batch.ledger).not.toBe(ledger);
    expect((await (await opened()).outbox.collectBatch('', 0n, 9n)).ledger).toBe(batch.ledger);
    expect(warnings.at(-1)).toBe('the traffic data starts over: its file could not be read to the end');
  });

  it('batches are handed out while the disk is full, and a crash then begins another ledger', async () => {
    const first = await opened();
    await symlink('/dev/full', `${path}.new`);
    await first.recordTraffic(reading({ ann: 1n }));
    const batch = await first.outbox.collectBatch('', 0n, 7n);
    expect(batch).toMatchObject({ number: 1n, users: [{ email: 'ann', downlink: 1n }] });
    expect(first.problem).toContain('the traffic data is not on disk: ENOSPC');
    const second = await opened();
    await second.recordTraffic(reading({ ann: 2n }));
    expect((await second.outbox.collectBatch('', 0n, 8n)).ledger).not.toBe(batch.ledger);
  });

  it('security row 37: users who are no longer served are forgotten once their traffic is acknowledged, in the file too', async () => {
    const served = new Set(['ann', 'bob']);
    const store = new TrafficStore({ isServed: (email) => served.has(email), forgetMs: 0 });
    stores.push(store);
    await store.open({ path, onWarning: (text) => warnings.push(text) });
    await store.beginRun('one');
    await store.recordTraffic({ ...reading({ ann: 5n, bob: 6n }), run: 'one' });
    served.delete('bob');
    await store.recordTraffic(reading({}));
    const batch = await store.outbox.collectBatch('', 0n, 7n);
    expect(batch.users.map(({ email, downlink }) => [email, downlink])).toEqual([
      ['ann', 5n],
      ['bob', 6n],
    ]);
    await store.recordTraffic(reading({}));
    expect([await total(store, 'ann'), await total(store, 'bob')]).toEqual([5n, 6n]);
    await store.outbox.collectBatch(batch.ledger, batch.number, 8n);
    await store.recordTraffic(reading({}));
    expect([await total(store, 'ann'), await total(store, 'bob')]).toEqual([5n, 0n]);
    // What an engine that runs on shows is subtracted from its next counters, so its users stay known until it ends.
    expect(store.countedIn('one')?.users.get('bob')).toEqual({ uplink: 0n, downlink: 6n });
    store.endRun('one');
    await eventually('the file has no word of bob', async (saw) => !saw(await readFile(path)).includes('bob'));
    expect((await readFile(path)).includes('ann')).toBe(true);
    await store.close();
    expect(await total(await opened(), 'ann')).toBe(5n);
    expect(warnings).toEqual([]);
  });
});
