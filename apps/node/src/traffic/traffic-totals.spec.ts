import { describe, expect, it } from '@jest/globals';
import { StatType } from '@rampart/node-client';
import { TrafficCounters } from './traffic-counters.js';
import { TrafficTotals } from './traffic-totals.js';

const bytes = (uplink: bigint, downlink: bigint) => ({ uplink, downlink });

/** Keeps records, or refuses them. */
class RecorderDouble {
  kept = true;
  discarded = 0;
  readonly records: Uint8Array[] = [];

  async appendRecords(records: readonly Uint8Array[]): Promise<boolean> {
    if (this.kept) this.records.push(...records);
    return this.kept;
  }

  async discardOutdatedFile(): Promise<void> {
    this.discarded += 1;
  }
}

function totals(recorder = new RecorderDouble()): TrafficTotals {
  const book = new TrafficCounters('book');
  book.addReading({
    users: new Map([
      ['1.ann', bytes(1n, 2n)],
      ['2.bob', bytes(0n, 4n)],
    ]),
    inbounds: new Map([
      ['in', bytes(5n, 6n)],
      ['idle', bytes(0n, 0n)],
    ]),
    outbounds: new Map([['out', bytes(7n, 8n)]]),
  });
  return new TrafficTotals(book, recorder);
}

const stat = (name: string, type: string, value: bigint) => ({ name, type, link: 'traffic', value });
const ask = (type: StatType, name = '', reset = false) => ({ type, name, reset });

describe(TrafficTotals.name, () => {
  it.each([
    [StatType.Outbounds, [stat('out', 'uplink', 7n), stat('out', 'downlink', 8n)]],
    [
      StatType.Inbounds,
      [stat('in', 'uplink', 5n), stat('in', 'downlink', 6n), stat('idle', 'uplink', 0n), stat('idle', 'downlink', 0n)],
    ],
    [
      StatType.UsersStat,
      [
        stat('1.ann', 'uplink', 1n),
        stat('1.ann', 'downlink', 2n),
        stat('2.bob', 'uplink', 0n),
        stat('2.bob', 'downlink', 4n),
      ],
    ],
  ])('all statistics of type %s are reported', async (type, expected) => {
    expect(await totals().queryStats(ask(type))).toEqual(expected);
  });

  it('a total is found by name, and an unknown name has none', async () => {
    expect(await totals().queryStats(ask(StatType.UserStat, '2.bob'))).toEqual([
      stat('2.bob', 'uplink', 0n),
      stat('2.bob', 'downlink', 4n),
    ]);
    expect(await totals().queryStats(ask(StatType.Outbound, 'out'))).toHaveLength(2);
    expect(await totals().queryStats(ask(StatType.Inbound, 'out'))).toEqual([]);
    expect(await totals().queryStats(ask(StatType.Inbound, 'idle'))).toEqual([
      stat('idle', 'uplink', 0n),
      stat('idle', 'downlink', 0n),
    ]);
  });

  it('a reset clears exactly the reported totals; a tag stays listed with zero', async () => {
    const sums = totals();
    expect(await sums.queryStats(ask(StatType.UserStat, '1.ann', true))).toHaveLength(2);
    expect(await sums.queryStats(ask(StatType.UserStat, '1.ann'))).toEqual([]);
    expect(await sums.queryStats(ask(StatType.UsersStat, '', true))).toHaveLength(2);
    expect(await sums.queryStats(ask(StatType.UsersStat))).toEqual([]);
    expect(await sums.queryStats(ask(StatType.Inbound, 'in', true))).toEqual([
      stat('in', 'uplink', 5n),
      stat('in', 'downlink', 6n),
    ]);
    expect(await sums.queryStats(ask(StatType.Inbound, 'in'))).toEqual([
      stat('in', 'uplink', 0n),
      stat('in', 'downlink', 0n),
    ]);
  });

  it('reports each byte in one of two concurrent resets', async () => {
    const sums = totals();
    const answers = await Promise.all([
      sums.queryStats(ask(StatType.UsersStat, '', true)),
      sums.queryStats(ask(StatType.UserStat, '1.ann', true)),
      sums.queryStats(ask(StatType.UsersStat, '', true)),
    ]);
    expect(answers.map(({ length }) => length)).toEqual([4, 0, 0]);
  });

  it('are not reset by a plain read', async () => {
    const sums = totals();
    expect(await sums.queryStats(ask(StatType.Outbounds))).toEqual(await sums.queryStats(ask(StatType.Outbounds)));
  });

  it('a reset is recorded before it is answered; if that fails, the outdated file is discarded', async () => {
    const recorder = new RecorderDouble();
    const sums = totals(recorder);
    await sums.queryStats(ask(StatType.UserStat, '1.ann', true));
    expect(recorder.records).toHaveLength(1);
    expect(recorder.discarded).toBe(0);
    recorder.kept = false;
    expect(await sums.queryStats(ask(StatType.UserStat, '2.bob', true))).toHaveLength(2);
    expect(recorder.discarded).toBe(1);
  });
});
