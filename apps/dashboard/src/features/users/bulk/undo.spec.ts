import { describe, expect, it } from '@jest/globals';
import { callForEach, formerStatus, isWhole, membershipChanges } from './undo';

describe('what undoes a change of many users', () => {
  it('puts each one into the state that an admin had given it', () => {
    expect((['active', 'expired', 'limited', 'on_hold', 'disabled'] as const).map(formerStatus)).toEqual([
      'active',
      'active',
      'active',
      'on_hold',
      'disabled',
    ]);
  });

  it('what undoes a change of groups concerns only users whom it has changed', () => {
    const users = [
      { id: 1, group_ids: [] },
      { id: 2, group_ids: [10] },
      { id: 3, group_ids: [10, 11] },
    ];
    expect(membershipChanges('add_groups', [10, 11], users)).toEqual([
      { group: 10, users: [1] },
      { group: 11, users: [1, 2] },
    ]);
    expect(membershipChanges('remove_groups', [10, 11, 12], users)).toEqual([
      { group: 10, users: [2, 3] },
      { group: 11, users: [3] },
    ]);
  });

  it('what undoes a change of groups tries each of them, and tells the first error', async () => {
    const tried: string[] = [];
    const call = async (group: string) => {
      tried.push(group);
      if (group !== 'there') throw new Error(`${group} is gone`);
    };
    await expect(callForEach(['first', 'there', 'last'], call)).rejects.toThrow('first is gone');
    await callForEach(['there'], call);
    expect(tried).toEqual(['first', 'there', 'last', 'there']);
  });

  it('what undoes a change of groups is known only where the API has changed as many users', () => {
    const changes = [
      { group: 10, users: [1] },
      { group: 11, users: [1, 2] },
    ];
    expect([isWhole(changes, 2), isWhole(changes, 3), isWhole(changes, undefined), isWhole([], 0)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
