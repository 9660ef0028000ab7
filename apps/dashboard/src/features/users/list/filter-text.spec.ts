import { describe, expect, it } from '@jest/globals';
import { nextSort, parseUserSearch, userQueryOf } from '../user-search';
import { filterText, parseFilterText, suggestions } from './filter-text';

const names = {
  groups: [
    { id: 7, name: 'vip' },
    { id: 8, name: 'basic' },
  ],
};

describe('the text of the search field', () => {
  it('is read as filters and words, and written as it was', () => {
    const found = parseFilterText('ali is:active,expired group:vip,8 admin:bob of sara', names);
    expect(found).toEqual({ q: 'ali of sara', status: 'active,expired', group: '7,8', admin: 'bob' });
    expect(filterText(found, names)).toBe('is:active,expired group:vip,basic admin:bob ali of sara');
  });

  it('keeps filters that mean nothing as words', () => {
    expect(parseFilterText('is:asleep group:none is:', names)).toEqual({
      q: 'is:asleep group:none is:',
      status: undefined,
      group: undefined,
      admin: undefined,
    });
  });

  it('is completed from its last word', () => {
    expect(suggestions('ali is:ex', { ...names, admins: [] })).toEqual(['ali is:expired']);
    expect(suggestions('group:', { ...names, admins: [] })).toEqual(['group:vip', 'group:basic']);
    expect(suggestions('is:expired ', { ...names, admins: [] })).toEqual([]);
  });
});

describe('the address of the list', () => {
  it('leaves out what is not valid', () => {
    expect(
      parseUserSearch({
        q: '',
        status: 'active,asleep',
        group: '1,x',
        sort: 'password',
        at: -1,
        create: 'yes',
        other: 1,
      }),
    ).toEqual({ status: 'active', group: '1' });
    expect(parseUserSearch({ q: 12, sort: '-expire', at: 40, create: true })).toEqual({
      q: '12',
      sort: '-expire',
      at: 40,
      create: true,
    });
  });

  it('becomes the query of the API', () => {
    expect(
      userQueryOf({ q: 'ali', status: 'active,expired', group: '7', admin: 'bob', sort: '-expire', at: 3 }),
    ).toEqual({
      search: 'ali',
      status: ['active', 'expired'],
      group: [7],
      admin: ['bob'],
      sort: '-expire',
    });
    expect(userQueryOf({})).toEqual({});
  });

  it('the order changes from descending to ascending to none, and of names the other way round', () => {
    expect([undefined, '-expire', 'expire'].map((sort) => nextSort('expire', sort))).toEqual([
      '-expire',
      'expire',
      undefined,
    ]);
    expect([undefined, 'username', '-username'].map((sort) => nextSort('username', sort))).toEqual([
      'username',
      '-username',
      undefined,
    ]);
  });
});
