import { describe, expect, it } from '@jest/globals';
import type { TrafficReading } from '../../backend.js';
import { QueryStatsResponse } from '../gen/stats.js';
import { CounterDifferences } from './counter-differences.js';

const answer = (counters: Record<string, bigint>) =>
  QueryStatsResponse.encode({ stat: Object.entries(counters).map(([name, value]) => ({ name, value })) }).finish();

const plain = ({ users, inbounds, outbounds }: TrafficReading) => ({
  users: [...users],
  inbounds: [...inbounds],
  outbounds: [...outbounds],
});

describe(CounterDifferences.name, () => {
  it("counters are grouped, without idle users, the node's own names and unknown kinds", async () => {
    const reading = await new CounterDifferences().readDifferences(
      answer({
        'user>>>1.ann>>>traffic>>>uplink': 1n,
        'user>>>1.ann>>>traffic>>>downlink': 2n,
        'user>>>a>>>b\n>>>traffic>>>downlink': 3n,
        'user>>>Зоя>>>traffic>>>uplink': 2n ** 62n,
        'user>>>2.idle>>>traffic>>>uplink': 0n,
        'user>>>~rampart-guard-1>>>traffic>>>uplink': 4n,
        'inbound>>>in>>>traffic>>>uplink': 5n,
        'inbound>>>~rampart-alias-in>>>traffic>>>uplink': 20n,
        'inbound>>>~rampart-in-1>>>traffic>>>uplink': 6n,
        'outbound>>>out>>>traffic>>>downlink': 7n,
        'outbound>>>idle>>>traffic>>>uplink': 0n,
        'outbound>>>~rampart-api-1>>>traffic>>>downlink': 8n,
        'user>>>1.ann>>>online': 9n,
        'constructor>>>x>>>traffic>>>uplink': 10n,
        '>>>traffic>>>uplink': 11n,
      }),
    );
    expect(plain(reading)).toEqual({
      users: [
        ['1.ann', { uplink: 1n, downlink: 2n }],
        ['a>>>b\n', { uplink: 0n, downlink: 3n }],
        ['Зоя', { uplink: 2n ** 62n, downlink: 0n }],
      ],
      inbounds: [['in', { uplink: 25n, downlink: 0n }]],
      outbounds: [
        ['out', { uplink: 0n, downlink: 7n }],
        ['idle', { uplink: 0n, downlink: 0n }],
      ],
    });
  });

  it('counter differences are relative to the last reading, in any order of counters', async () => {
    const counters = new CounterDifferences();
    const [up, down] = ['user>>>1.ann>>>traffic>>>uplink', 'user>>>1.ann>>>traffic>>>downlink'];
    const read = async (values: Record<string, bigint>) => plain(await counters.readDifferences(answer(values))).users;
    expect(await read({ [up]: 10n, [down]: 20n })).toEqual([['1.ann', { uplink: 10n, downlink: 20n }]]);
    expect(await read({ [down]: 20n, [up]: 10n })).toEqual([]);
    expect(await read({ [down]: 25n, [up]: 10n })).toEqual([['1.ann', { uplink: 0n, downlink: 5n }]]);
    expect(await read({ [up]: 3n, [down]: 25n })).toEqual([['1.ann', { uplink: 3n, downlink: 0n }]]);
  });

  it('the differences of many counters are kept apart', async () => {
    const counters = new CounterDifferences();
    const values = (value: bigint) =>
      answer(
        Object.fromEntries(
          Array.from({ length: 500 }, (_, i) => [`user>>>u${i}>>>traffic>>>uplink`, value + BigInt(i)]),
        ),
      );
    await counters.readDifferences(values(1n));
    const { users } = await counters.readDifferences(values(3n));
    expect(users.size).toBe(500);
    expect(new Set([...users.values()].map(({ uplink }) => uplink))).toEqual(new Set([2n]));
  });

  const bytes = (uplink: bigint, downlink = 0n) => ({ uplink, downlink });
  const later = {
    'user>>>1.ann>>>traffic>>>uplink': 10n,
    'user>>>2.bob>>>traffic>>>uplink': 7n,
    'inbound>>>in>>>traffic>>>uplink': 5n,
    'inbound>>>~rampart-alias-in>>>traffic>>>uplink': 20n,
  };

  it('the first reading of an engine that another node has started has only what was not counted before', async () => {
    const counters = new CounterDifferences({
      users: new Map([
        ['1.ann', bytes(4n)],
        ['2.bob', bytes(7n)],
        ['3.gone', bytes(9n)],
      ]),
      inbounds: new Map([['in', bytes(22n)]]),
      outbounds: new Map(),
    });
    expect(plain(await counters.readDifferences(answer(later)))).toEqual({
      users: [['1.ann', bytes(6n)]],
      inbounds: [['in', bytes(3n)]],
      outbounds: [],
    });
    const { users } = await counters.readDifferences(answer({ 'user>>>1.ann>>>traffic>>>uplink': 11n }));
    expect([...users]).toEqual([['1.ann', bytes(1n)]]);
  });

  it('where it is not known what was counted before, the first reading counts nothing', async () => {
    const counters = new CounterDifferences('everything');
    expect(plain(await counters.readDifferences(answer(later)))).toEqual({
      users: [],
      inbounds: [['in', bytes(0n)]],
      outbounds: [],
    });
  });
});
