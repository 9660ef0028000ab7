import { describe, expect, it } from '@jest/globals';
import type { Host } from '../../api/types';
import { changedOrder, moved, sorted } from './host-order';

const host = (id: number, priority: number) => ({ id, priority }) as Host;
const hosts = [host(1, 1), host(2, 2), host(3, 3)];
const ids = (list: readonly Host[]) => list.map(({ id }) => id);

describe('the order of hosts', () => {
  it('the order of hosts is that of their priorities, then that of their ids', () => {
    expect(ids(sorted([host(5, 2), host(4, 2), host(9, 1)]))).toEqual([9, 4, 5]);
  });

  it('the order of hosts changes when one is moved, and only hosts with another priority are sent', () => {
    const after = moved(hosts, 2, 1);
    expect(ids(after)).toEqual([1, 3, 2]);
    expect(ids(changedOrder(hosts, after))).toEqual([3, 2]);
    expect(moved(hosts, 0, -1)).toEqual(hosts);
    expect(moved(hosts, 2, 3)).toEqual(hosts);
  });
});
