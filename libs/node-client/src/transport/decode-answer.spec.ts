import { type BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BaseInfoResponse, type CollectTrafficRequest, TrafficBatch, UserTraffic } from '../gen/service.js';
import { decodeAnswer } from './decode-answer.js';
import { CALLS, REFUSED_FIELD, type UnaryCall } from './node-transport.js';

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

const UNKNOWN_FIELD = Buffer.from([15 << 3, 1]);
const unknownFields = (count: number): Buffer => Buffer.alloc(2 * count, UNKNOWN_FIELD);
const entryOf = (field: number, bytes: Uint8Array) => new BinaryWriter().tag(field, 2).bytes(bytes).finish();

/** The turns of the event loop that others have in the meantime. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await work().finally(() => {
    ended = true;
  });
  return turns;
}

describe(decodeAnswer.name, () => {
  it.each([0, 1, 2_001, 9_999])('reads an answer of %i entries as it was sent', async (users) => {
    const batch = batchOf(users);
    expect(await decode(TrafficBatch.encode(batch).finish())).toEqual(batch);
  });

  it('security row 39: lets others work while it reads an answer of many entries', async () => {
    expect(await turnsDuring(() => decode(TrafficBatch.encode(batchOf(20_000)).finish()))).toBeGreaterThanOrEqual(9);
  });

  it('security row 39: lets others work while it reads an answer of long entries', async () => {
    const warnings = Array.from({ length: 256 }, () => 'x'.repeat(60 * 1024));
    const info = BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ warnings })).finish();
    expect(await turnsDuring(() => decodeAnswer(CALLS.info, info))).toBeGreaterThanOrEqual(120);
  });

  it('security row 39: builds nothing of an answer that has too many entries', async () => {
    let decoded = 0;
    const answer = {
      decode: (input: BinaryReader | Uint8Array) => {
        decoded += 1;
        return TrafficBatch.decode(input);
      },
    };
    const bytes = TrafficBatch.encode(batchOf(1_500)).finish();
    await expect(decode(bytes, { maxFields: 1_000, answer })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'the answer to CollectTraffic has more than 1000 entries',
    });
    expect(decoded).toBe(0);
  });

  it('security row 39: reads a batch up to its limit, so that it can be acknowledged', async () => {
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

  it('security row 89: reads so many entries of a list, wherever they stand, and all other fields', async () => {
    const refused = Array.from({ length: 5_000 }, (_, id) => ({ email: `${id}.user`, reason: 'why' }));
    const before = BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ version: '1.2.3', refused })).finish();
    const after = BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ refused, bootId: 'a boot', warnings: ['w'] }));
    const list = { field: REFUSED_FIELD, maxEntries: 3 };
    const info = await decodeAnswer({ ...CALLS.info, list }, Buffer.concat([before, after.finish()]));
    expect(info).toEqual(
      BaseInfoResponse.fromPartial({
        version: '1.2.3',
        refused: refused.slice(0, 3),
        bootId: 'a boot',
        warnings: ['w'],
      }),
    );
  });

  it('security row 39: refuses an answer with one entry that takes long to read', async () => {
    const huge = BaseInfoResponse.encode(BaseInfoResponse.fromPartial({ warnings: ['x'.repeat(64 * 1024 + 1)] }));
    await expect(decodeAnswer(CALLS.info, huge.finish())).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'the answer to GetBaseInfo has an entry of more than 65536 bytes',
    });
  });

  it('security row 39: refuses an entry of a megabyte before it reads it', async () => {
    const users = Buffer.concat(Array.from({ length: 60 }, () => entryOf(4, unknownFields(512 * 1024))));
    await expect(decode(users)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'the answer to CollectTraffic has an entry of more than 4096 bytes',
    });
  });

  it.each([
    ['entries of a batch', 'CollectTraffic', CALLS.collectTraffic, entryOf(4, unknownFields(2_000))],
    ['refused users', 'GetBaseInfo', CALLS.info, entryOf(101, unknownFields(32_000))],
    ['long fields of an answer', 'GetBaseInfo', CALLS.info, entryOf(15, Buffer.alloc(60 * 1024))],
    ['short fields of an answer', 'GetBaseInfo', CALLS.info, unknownFields(1)],
  ] as [string, string, UnaryCall<unknown, object>, Uint8Array][])(
    'security row 39: reads little of an answer with many unknown fields in %s',
    async (_where, rpc, call, field) => {
      const bytes = Buffer.alloc(200 * Math.max(field.length, 1_000), field);
      let read = 0;
      const answer = {
        decode: (reader: BinaryReader | Uint8Array) => {
          if (!(reader instanceof Uint8Array)) read += reader.len;
          return call.answer.decode(reader);
        },
      };
      await expect(decodeAnswer({ ...call, answer }, bytes)).rejects.toMatchObject({
        code: 'PROTOCOL',
        message: `the answer to ${rpc} is not the message it should be`,
      });
      expect(read).toBeLessThan(102 * field.length + 64 * 1024);
    },
  );

  it('reads the answer of a newer node, whose entries have fields that are not known yet', async () => {
    const newer = entryOf(4, Buffer.concat([UserTraffic.encode(user(1)).finish(), unknownFields(8)]));
    const batch = await decode(Buffer.concat([unknownFields(100), Buffer.alloc(3_000 * newer.length, newer)]));
    expect(batch.users).toEqual(Array.from({ length: 3_000 }, () => user(1)));
  });

  it('security row 39: reads any bytes or refuses them with a code', async () => {
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
