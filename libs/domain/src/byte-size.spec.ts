import { describe, expect, it } from '@jest/globals';
import { formatByteSize } from './byte-size.js';

describe(formatByteSize, () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1023 B'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [1.5 * 1024 ** 2, '1.5 MB'],
    [10 * 1024 ** 3, '10 GB'],
    [1234567890, '1.15 GB'],
    [1024 ** 2 - 1, '1 MB'],
    [1024 ** 4, '1 TB'],
    [1024 ** 5, '1 PB'],
    [5 * 1024 ** 6, '5 EB'],
    [1024 ** 7, '1024 EB'],
  ])('formatByteSize formats %d bytes', (bytes, text) => {
    expect(formatByteSize(bytes)).toBe(text);
  });
});
