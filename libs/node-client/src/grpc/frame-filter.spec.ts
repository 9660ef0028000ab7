import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FrameFilter } from './frame-filter.js';

const frame = (type: number, payload: Buffer): Buffer => {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  return Buffer.concat([header, payload]);
};
const [PRIORITY, ALTSVC, ORIGIN, UNKNOWN] = [2, 10, 12, 200];
const LENGTHS = new Map([
  [3, 4],
  [4, 12],
  [6, 8],
  [7, 20],
  [8, 4],
]);
const payload = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes));
const kept = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1, 9), fc.nat(300).chain(payload)),
  fc.constantFrom(...LENGTHS).chain(([type, length]) => fc.tuple(fc.constant(type), payload(length))),
);
const leftOut = fc.tuple(fc.constantFrom(PRIORITY, ALTSVC, ORIGIN, UNKNOWN), fc.nat(100).chain(payload));

describe(FrameFilter.name, () => {
  it('security row 107: passes the frames of a call as they are, and no others, however they are cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(kept, leftOut), { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
        (frames, sizes) => {
          const all = Buffer.concat(frames.map(([type, bytes]) => frame(type, bytes)));
          const wanted = frames.filter(([type]) => type < ALTSVC && type !== PRIORITY);
          const filter = new FrameFilter();
          const passed: Buffer[] = [];
          for (let at = 0, turn = 0; at < all.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            passed.push(filter.pass(all.subarray(at, at + size)));
            at += size;
          }
          expect(Buffer.concat(passed)).toEqual(Buffer.concat(wanted.map(([type, bytes]) => frame(type, bytes))));
        },
      ),
    );
  });

  it.each([
    ['SETTINGS', 4, 3],
    ['PING', 6, 7],
    ['RST_STREAM', 3, 5],
    ['WINDOW_UPDATE', 8, 0],
    ['GOAWAY', 7, 7],
    ['PUSH_PROMISE', 5, 10],
  ])(
    'security row 107: refuses %s with a length that it cannot have, and what no server is asked for',
    (_name, type, length) => {
      expect(() => new FrameFilter().pass(frame(type, Buffer.alloc(length)))).toThrow(
        'the node sends HTTP/2 frames that no node sends',
      );
    },
  );

  it('security row 107: refuses what nobody needs without end', () => {
    const filter = new FrameFilter();
    const once = frame(UNKNOWN, Buffer.alloc(32 * 1024 - 9));
    expect(filter.pass(once)).toHaveLength(0);
    expect(filter.pass(once)).toHaveLength(0);
    expect(() => filter.pass(frame(UNKNOWN, Buffer.alloc(0)))).toThrow(
      'the node sends HTTP/2 frames that no node sends',
    );
  });
});
