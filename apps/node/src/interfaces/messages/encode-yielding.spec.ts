import { describe, expect, it } from '@jest/globals';
import { BaseInfoResponse, StatResponse, TrafficBatch } from '@rampart/node-client';
import { INFO } from '../../testing/nodes/node-double.js';
import { encodeYielding } from './encode-yielding.js';

const stat = (index: number) => ({ name: `${index}.user`, type: 'uplink', link: 'traffic', value: BigInt(index) });

describe(encodeYielding.name, () => {
  it.each([0, 1, 5000, 5001, 23_456])('a message with %i rows is encoded completely', async (length) => {
    const message = { stats: Array.from({ length }, (_, index) => stat(index)) };
    const bytes = await encodeYielding(StatResponse, message);
    expect(bytes.equals(StatResponse.encode(message).finish())).toBe(true);
  });

  it('encodes the fields beside the long lists', async () => {
    const users = Array.from({ length: 12_000 }, (_, index) => ({ email: `${index}.user`, uplink: 1n, downlink: 2n }));
    const inbounds = [{ tag: 'in', uplink: 3n, downlink: 4n }];
    const batch = { ledger: 'a-ledger', number: 7n, sealedAt: 9n, users, inbounds, outbounds: [] };
    expect(TrafficBatch.decode(await encodeYielding(TrafficBatch, batch))).toEqual(batch);
    expect(BaseInfoResponse.decode(await encodeYielding(BaseInfoResponse, INFO))).toEqual(INFO);
  });

  it('encoding a long list lets other work run', async () => {
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    await encodeYielding(StatResponse, { stats: Array.from({ length: 100_000 }, (_, index) => stat(index)) });
    clearInterval(count);
    expect(turns).toBeGreaterThan(3);
  });
});
