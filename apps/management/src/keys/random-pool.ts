import { randomBytes } from 'node:crypto';

const POOL_BYTES = 16_384;

/**
 * Random bytes for many small draws. Bytes are fetched in large blocks, because asking the system for each draw takes
 * ten times as long.
 */
export function randomPool(): (bytes: number) => Buffer {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (pool.length < bytes) pool = randomBytes(Math.max(bytes, POOL_BYTES));
    const drawn = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return drawn;
  };
}
