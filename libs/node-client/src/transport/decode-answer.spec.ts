import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BaseInfoResponse, type CollectTrafficRequest, TrafficBatch } from '../gen/service.js';
import { decodeAnswer } from './decode-answer.js';
import { CALLS, type UnaryCall } from './node-transport.js';

const user = (id: number) => ({ email: `${id}.user`, uplink: BigInt(id), downlink: 2n ** 64n - 1n });
const batchOf = (users: number): TrafficBatch => ({
  ledger: 'a ledger',
  number: 7n,
  sealedAt: 1_700_000_000n,
  users: Array.from({ length: users }, (_, id) => user(id)),
  inbounds: [],
  outbounds: [{ tag: 'DIRECT', uplink: 1n, downlink: 2n }],
});
const decode = (bytes: Uint8Array, limits: Partial<UnaryCall<CollectTrafficRequest, TrafficBatch>> = {}) =>
  decodeAnswer({ ...CALLS.collectTraffic, ...limits }, bytes);

describe('decodeAnswer', () => {
  it.each([0, 1, 2_001, 9_999])('decodeAnswer reads an answer of %i entries as it was sent', async (users) => {
    const batch = batchOf(users);
    expect(await decode(TrafficBatch.encode(batch).finish())).toEqual(batch);
  });

  it('security row 39: decodeAnswer lets others work while it reads an answer of many entries', async () => {
    let turns = 0;
    let ended = false;
    const count = (): void => {
      turns += 1;
      if (!ended) setImmediate(count);
    };
    setImmediate(count);
    await decode(TrafficBatch.encode(batchOf(20_000)).finish());
    ended = true;
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it('security row 39: decodeAnswer builds nothing of an answer that has too many entries', async () => {
    let decoded = 0;
    const responseDeserialize = (bytes: Buffer) => {
      decoded += 1;
      return TrafficBatch.decode(bytes);
    };
    const bytes = TrafficBatch.encode(batchOf(1_500)).finish();
    await expect(decode(bytes, { maxFields: 1_000, responseDeserialize })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'the answer to CollectTraffic has more than 1000 entries',
    });
    expect(decoded).toBe(0);
  });

  it('security row 39: decodeAnswer reads a batch up to its limit, so that it can be acknowledged', async () => {
    let leftOut = 0;
    const limits = {
      maxFields: 1_003,
      leftOut: (fields: number) => {
        leftOut = fields;
      },
    };
    const batch = await decode(TrafficBatch.encode(batchOf(5_000)).finish(), limits);
    expect([batch.ledger, batch.number, batch.users.length, batch.outbounds.length]).toEqual([
      'a ledger',
      7n,
      1_000,
      0,
    ]);
    expect(batch.users.at(-1)).toEqual(user(999));
    expect(leftOut).toBe(4_001);
  });

  it('security row 39: decodeAnswer refuses an answer with one entry that takes long to read', async () => {
    const huge = BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ warnings: ['x'.repeat(1024 * 1024 + 1)] }));
    await expect(decodeAnswer(CALLS.info, huge.finish())).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'the answer to GetBaseInfo has an entry of more than 1048576 bytes',
    });
  });

  it('security row 39: decodeAnswer reads any bytes or refuses them with a code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const code = await decode(bytes).then(
          () => 'read',
          (error: { code?: string }) => error.code,
        );
        expect(['read', 'PROTOCOL', 'TOO_LARGE']).toContain(code);
      }),
      { numRuns: 2_000 },
    );
  });
});
