import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { implausibleText, judgeTraffic, lineBytes, lineSeconds } from './judge-traffic.js';

const NOBODY = new Set<number>();
const sum = (values: Iterable<bigint>) => [...values].reduce((total, value) => total + value, 0n);
const reported = (users: Record<number, bigint>, uplink = 0n, downlink = 0n) => ({
  bytesByUser: new Map(Object.entries(users).map(([id, bytes]) => [Number(id), bytes])),
  uplink,
  downlink,
});

describe(judgeTraffic.name, () => {
  it('counts all of a report that is possible', () => {
    const report = reported({ 1: 5n, 2: 7n }, 5n, 8n);
    const plausible = { withoutAccess: NOBODY, lineBytes: 13n };
    const judged = judgeTraffic(report, plausible);
    expect(judged).toMatchObject({ ...report, carriedBytes: 13n, outboundBytes: 0n });
    expect(implausibleText(judged, 0, plausible)).toBeUndefined();
  });

  it('security row 38: counts the smallest entries of a report that is too much, and says what the others were', () => {
    const plausible = { withoutAccess: new Set([9]), lineBytes: 75_000_000_000n };
    const report = reported(
      { 1: 2n ** 65n - 2n, 2: 1_000n, 3: 70_000_000_000n, 4: 70_000_000_000n, 9: 12n },
      2n ** 64n,
      1n,
    );
    const judged = judgeTraffic(report, plausible);
    expect([...judged.bytesByUser]).toEqual([
      [2, 1_000n],
      [3, 70_000_000_000n],
    ]);
    expect([judged.uplink, judged.downlink]).toEqual([0n, 0n]);
    expect(implausibleText(judged, 3, plausible)).toBe(
      'it reported traffic that is not counted: 12 B of 1 user without access to it; 36.9 EB of 2 users beyond the ' +
        '75.0 GB that its line can have carried; 18.4 EB of its outbounds, more than the 75.0 GB that its line can have ' +
        'carried; 3 entries more than there can be',
    );
  });

  it('security row 38: counts each entry as a whole or not at all, and never more than the line', () => {
    const bytes = fc.oneof(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 2n ** 65n));
    const ids = fc.integer({ min: 1, max: 30 });
    const reports = fc.array(fc.tuple(ids, bytes)).map((entries) => new Map(entries));
    fc.assert(
      fc.property(reports, fc.array(ids), bytes, bytes, bytes, (bytesByUser, foreign, uplink, downlink, limit) => {
        const withoutAccess = new Set(foreign);
        const judged = judgeTraffic({ bytesByUser, uplink, downlink }, { withoutAccess, lineBytes: limit });
        for (const [id, counted] of judged.bytesByUser) {
          expect(counted).toBe(bytesByUser.get(id));
          expect(withoutAccess.has(id)).toBe(false);
        }
        const total = sum(judged.bytesByUser.values());
        expect(total).toBeLessThanOrEqual(limit);
        expect(judged.carriedBytes).toBeLessThanOrEqual(limit);
        expect(total + judged.beyondLine.bytes + judged.withoutAccess.bytes).toBe(sum(bytesByUser.values()));
      }),
    );
  });

  it('a line carries its rate in both directions', () => {
    expect(lineBytes(10_000, 30)).toBe(75_000_000_000n);
    expect(lineBytes(10_000, -1)).toBe(0n);
    expect(lineSeconds(10_000, 75_000_000_000n)).toBe(30);
  });
});
