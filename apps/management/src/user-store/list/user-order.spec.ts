import { describe, expect, it } from '@jest/globals';
import { isSortBy } from '../../validation/sort-keys.js';
import { orderBy, reversed, USER_SORT } from './user-order.js';

const isSort = isSortBy(USER_SORT);

describe('the sort of a list of users', () => {
  it.each(['', 'username', '-used_traffic', 'data_limit,-expire', 'created_at', 'edit_at', '-online_at'])(
    'orderBy orders a list of users by %s',
    (sort) => {
      expect(isSort(sort)).toBe(true);
    },
  );

  it.each(['bogus', 'username,', '--username', 'username; DROP TABLE users', 'note', ['username'], undefined])(
    '%j is no sort of a list of users',
    (sort) => {
      expect(isSort(sort)).toBe(false);
    },
  );
});

describe(orderBy, () => {
  it.each([
    [undefined, 'users.id ASC'],
    ['', 'users.id ASC'],
    ['username', 'users.username ASC'],
    ['-expire,username', 'users.expire DESC, users.username ASC'],
    ['-data_limit', 'nullif(users.data_limit, 0) DESC, users.id DESC'],
    ['edit_at', 'users.edit_at ASC NULLS FIRST, users.id ASC'],
    ['-online_at', 'users.online_at DESC NULLS LAST, users.id DESC'],
  ])('orderBy orders a list of users by %s', (sort, sql) => {
    expect(orderBy(sort)).toBe(sql);
  });
});

describe(reversed, () => {
  it.each([
    [undefined, 'users.id DESC'],
    ['', 'users.id DESC'],
    ['username', 'users.username DESC'],
    ['-expire,username', 'users.expire ASC, users.username DESC'],
    ['edit_at', 'users.edit_at DESC NULLS LAST, users.id DESC'],
    ['-online_at', 'users.online_at ASC NULLS FIRST, users.id ASC'],
  ])('reversed gives the list that is sorted by %s from its end', (sort, sql) => {
    expect(orderBy(reversed(sort))).toBe(sql);
  });
});
