import { describe, expect, it } from '@jest/globals';
import { changedIn, isComplete, targetOf, targetOfScope } from './bulk-call';

const admins = new Map([['eve', 7]]);

describe('the users of a bulk change', () => {
  it('are those of the filters, in the words of the API', () => {
    const filter = { q: 'ali', status: 'active,limited', group: '3', admin: 'eve', sort: 'expire' };
    expect(targetOf(filter, admins)).toEqual({
      admins: [7],
      group_ids: [3],
      status: ['active', 'limited'],
      search: 'ali',
    });
    expect(targetOf({}, admins)).toEqual({});
  });

  it('an admin whom nobody knows has no users to change', () => {
    expect(targetOf({ admin: 'mallory' }, admins)).toEqual({ admins: [] });
  });

  it('a change of all users takes the filter and no selection, and one of the selected takes these and no filter', () => {
    expect(targetOfScope({ changes: 'all', filter: { q: 'ali' } }, admins)).toEqual({ search: 'ali' });
    expect(targetOfScope({ changes: 'selected', users: [3, 5], names: ['a', 'b'] }, admins)).toEqual({ users: [3, 5] });
    // Nobody is not everybody.
    expect(targetOfScope({ changes: 'selected', users: [], names: [] }, admins)).toEqual({ users: [] });
  });

  it('a bulk change is complete with an amount other than zero, or with a group', () => {
    const terms = { amount: '' as const, group_ids: [] };
    expect(isComplete({ ...terms, action: 'expire' })).toBe(false);
    expect(isComplete({ ...terms, action: 'expire', amount: -3 })).toBe(true);
    expect(isComplete({ ...terms, action: 'add_groups' })).toBe(false);
    expect(isComplete({ ...terms, action: 'remove_groups', group_ids: ['1'] })).toBe(true);
  });

  it('a bulk change tells how many users it has changed in the sentence of its answer', () => {
    expect(changedIn('operation has been successfuly done on 12 users')).toBe(12);
    expect(changedIn('operation has been successfuly done on 0 users')).toBe(0);
    expect(changedIn('done')).toBeUndefined();
  });
});
