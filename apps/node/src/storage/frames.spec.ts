import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeFrame, FRAME_HEADER_BYTES, FrameReader } from './frames.js';

const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 12 });
const plain = (records: readonly Uint8Array[]) => records.map((record) => [...record]);

describe(FrameReader.name, () => {
  it('encoded frames are read back, however the stream is split', () => {
    fc.assert(
      fc.property(payloads, fc.integer({ min: 1, max: 50 }), (records, size) => {
        const bytes = Buffer.concat(records.map(encodeFrame));
        const reader = new FrameReader();
        const read: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) read.push(...reader.readFrames(bytes.subarray(at, at + size)));
        expect(plain(read)).toEqual(plain(records));
        expect(reader.length).toBe(bytes.length);
        expect(reader.corrupt).toBe(false);
      }),
    );
  });

  it('reading frames stops at the first damaged byte and keeps all before it', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({ min: 1, max: 255 }), (records, place, flip) => {
        const bytes = Buffer.concat(records.map(encodeFrame));
        fc.pre(bytes.length > 0);
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        const lengths = records.map(({ length }) => FRAME_HEADER_BYTES + length);
        let whole = 0;
        let intact = 0;
        while (intact + (lengths[whole] ?? 0) <= at) intact += lengths[whole++] ?? 0;
        const reader = new FrameReader();
        expect(plain(reader.readFrames(bytes))).toEqual(plain(records.slice(0, whole)));
        expect(reader.length).toBe(intact);
      }),
    );
  });

  it('a tail of zeros, as a crash of the machine leaves it, counts as damage', () => {
    const reader = new FrameReader();
    expect(plain(reader.readFrames(Buffer.concat([encodeFrame(Buffer.from('a')), Buffer.alloc(64)])))).toEqual([[97]]);
    expect(reader.length).toBe(FRAME_HEADER_BYTES + 1);
    expect(reader.corrupt).toBe(true);
  });
});
