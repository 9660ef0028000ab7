import { describe, expect, it } from '@jest/globals';
import type { Host } from '../../api/types';
import { arranged, moved } from './host-order';

const host = (id: number, priority: number) => ({ id, priority }) as Host;
const ids = (list: readonly Host[]) => list.map(({ id }) => id);

describe('the order of hosts', () => {
  it('is that of their priorities, then that of their ids', () => {
    expect(ids(arranged([host(5, 2), host(4, 2), host(9, 1)], []))).toEqual([9, 4, 5]);
  });

  it('is the one that was asked for, with hosts of which it does not know at the end', () => {
    expect(ids(arranged([host(5, 2), host(4, 2), host(9, 1)], [4, 7, 9]))).toEqual([4, 9, 5]);
  });

  it('changes when one is moved, and not beyond its ends', () => {
    expect(moved([1, 2, 3], 3, 1)).toEqual([1, 3, 2]);
    expect(moved([1, 2, 3], 1, 2)).toEqual([2, 3, 1]);
    expect(moved([1, 2, 3], 1, -1)).toEqual([1, 2, 3]);
    expect(moved([1, 2, 3], 3, 3)).toEqual([1, 2, 3]);
    expect(moved([1, 2, 3], 4, 1)).toEqual([1, 2, 3]);
  });
});
