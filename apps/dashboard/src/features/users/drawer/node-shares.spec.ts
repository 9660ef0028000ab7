import { describe, expect, it } from '@jest/globals';
import { nodeShares } from './node-shares';

const period = (total_traffic: number) => ({ period_start: '2026-01-01T00:00:00Z', total_traffic });

describe(nodeShares.name, () => {
  it('sums up each node, sorts by bytes and leaves out nodes without traffic', () => {
    expect(nodeShares({ '1': [period(10), period(15)], '2': [period(75)], '3': [period(0)] })).toEqual([
      { node: '2', bytes: 75, part: 0.75 },
      { node: '1', bytes: 25, part: 0.25 },
    ]);
    expect(nodeShares({})).toEqual([]);
  });
});
