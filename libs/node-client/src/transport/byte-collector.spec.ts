import { StreamDecoder } from '@grpc/grpc-js/build/src/stream-decoder.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinSmallPieces } from '../grpc/join-pieces.js';
import { heldMemory } from '../testing/held-memory.js';
import { ByteCollector } from './byte-collector.js';

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 3_000 }), { minLength: 1, maxLength: 50 });
const SIZE = 1_000_000;
joinSmallPieces();

function frame(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

describe('an answer in small pieces', () => {
  it('ByteCollector has the bytes of all chunks', () => {
    fc.assert(
      fc.property(chunks, (some) => {
        const collector = new ByteCollector();
        for (const chunk of some) collector.add(chunk);
        expect(collector.bytes().equals(Buffer.concat(some))).toBe(true);
        expect(collector.length).toBe(collector.bytes().length);
      }),
    );
    expect(new ByteCollector().bytes()).toHaveLength(0);
  });

  it('security row 39: ByteCollector holds little more than the bytes of chunks of one byte', () => {
    const before = heldMemory();
    const collector = new ByteCollector();
    for (let index = 0; index < SIZE; index += 1) collector.add(Buffer.alloc(1, index));
    expect(heldMemory() - before).toBeLessThan(32 * SIZE);
    expect(collector.length).toBe(SIZE);
  });

  it('security row 39: grpc-js holds little more than the bytes of an unfinished message in frames of one byte', () => {
    const message = frame(Buffer.alloc(SIZE, 'a message'));
    const decoder = new StreamDecoder(-1);
    const before = heldMemory();
    for (let index = 0; index < SIZE; index += 1) decoder.write(message.subarray(index, index + 1));
    expect(heldMemory() - before).toBeLessThan(32 * SIZE);
    const next = frame(Buffer.from('next'));
    const [whole] = decoder.write(Buffer.concat([message.subarray(SIZE), next.subarray(0, 7)]));
    expect(whole?.equals(message)).toBe(true);
    expect(decoder.write(next.subarray(7))).toEqual([next]);
  });
});
