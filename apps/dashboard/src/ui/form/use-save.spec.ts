import { describe, expect, it } from '@jest/globals';
import { changedMembers } from './use-save';

describe(changedMembers.name, () => {
  it('names what differs, whatever the order of the members', () => {
    const before = { name: 'vip', tags: ['x'], note: null };
    expect(changedMembers(before, { tags: ['x'], name: 'gold', note: 'paid' })).toEqual({ name: 'gold', note: 'paid' });
    expect(changedMembers(before, { ...before, tags: ['x', 'y'] })).toEqual({ tags: ['x', 'y'] });
  });
});
