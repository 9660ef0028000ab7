/** Returns a generator of numbers from 0 to 1 that is determined by the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TELLING_BYTES = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff];

/** A copy of the bytes that is broken in one to four places. */
export function mutate(bytes: Uint8Array, random: () => number): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  const below = (limit: number): number => Math.floor(random() * limit);
  for (let count = 1 + below(4); count > 0; count -= 1) {
    const at = below(mutated.length + 1);
    const [head, tail] = [mutated.subarray(0, at), mutated.subarray(at)];
    const byte = random() < 0.5 ? below(256) : (TELLING_BYTES[below(TELLING_BYTES.length)] ?? 0);
    switch (below(6)) {
      case 0:
        mutated = Buffer.concat([head, Buffer.of(byte), tail.subarray(1)]);
        break;
      case 1:
        mutated = Buffer.concat([head, Buffer.of((tail[0] ?? 0) ^ (1 << below(8))), tail.subarray(1)]);
        break;
      case 2:
        mutated = Buffer.concat([head, Buffer.of(byte), tail]);
        break;
      case 3:
        mutated = Buffer.concat([head, tail.subarray(1 + below(8))]);
        break;
      case 4:
        mutated = Buffer.from(head);
        break;
      default:
        mutated = Buffer.concat([head, tail.subarray(0, below(32)), tail]);
    }
  }
  return mutated;
}
