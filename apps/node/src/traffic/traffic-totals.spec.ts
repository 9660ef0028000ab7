import { describe, expect, it } from '@jest/globals';
import { StatType } from '@rampart/node-client';
import { TrafficTotals } from './traffic-totals.js';

const bytes = (uplink: bigint, downlink: bigint) => ({ uplink, downlink });

function totals(): TrafficTotals {
  const sums = new TrafficTotals();
  sums.add({
    users: new Map([
      ['1.ann', bytes(1n, 2n)],
      ['2.bob', bytes(0n, 4n)],
    ]),
    inbounds: new Map([['in', bytes(5n, 6n)]]),
    outbounds: new Map([['out', bytes(7n, 8n)]]),
  });
  return sums;
}

const stat = (name: string, type: string, value: bigint) => ({ name, type, link: 'traffic', value });
const ask = (type: StatType, name = '', reset = false) => ({ type, name, reset });

describe('TrafficTotals', () => {
  it.each([
    [StatType.Outbounds, [stat('out', 'uplink', 7n), stat('out', 'downlink', 8n)]],
    [StatType.Inbounds, [stat('in', 'uplink', 5n), stat('in', 'downlink', 6n)]],
    [
      StatType.UsersStat,
      [
        stat('1.ann', 'uplink', 1n),
        stat('1.ann', 'downlink', 2n),
        stat('2.bob', 'uplink', 0n),
        stat('2.bob', 'downlink', 4n),
      ],
    ],
  ])('answers all of type %s', (type, expected) => {
    expect(totals().query(ask(type))).toEqual(expected);
  });

  it('answers one by name, and nothing for a name never seen', () => {
    expect(totals().query(ask(StatType.UserStat, '2.bob'))).toEqual([
      stat('2.bob', 'uplink', 0n),
      stat('2.bob', 'downlink', 4n),
    ]);
    expect(totals().query(ask(StatType.Outbound, 'out'))).toHaveLength(2);
    expect(totals().query(ask(StatType.Inbound, 'out'))).toEqual([]);
  });

  it('resets what it has answered, and nothing else', () => {
    const sums = totals();
    expect(sums.query(ask(StatType.UserStat, '1.ann', true))).toHaveLength(2);
    expect(sums.query(ask(StatType.UserStat, '1.ann'))).toEqual([]);
    expect(sums.query(ask(StatType.UsersStat, '', true))).toHaveLength(2);
    expect(sums.query(ask(StatType.UsersStat))).toEqual([]);
    expect(sums.query(ask(StatType.Inbounds))).toHaveLength(2);
  });

  it('does not reset without being asked', () => {
    const sums = totals();
    expect(sums.query(ask(StatType.Outbounds))).toEqual(sums.query(ask(StatType.Outbounds)));
  });
});
