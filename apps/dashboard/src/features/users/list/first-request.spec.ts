import { describe, expect, it } from '@jest/globals';
import { firstUsersRequest } from './first-request';

const FIELDS = ['id', 'username', 'status', 'note', 'expire', 'data_limit', 'used_traffic', 'online_at'];

describe(firstUsersRequest.name, () => {
  it.each([
    ['', { offset: 0 }],
    ['?sort=-expire&at=250', { sort: '-expire', offset: 200 }],
    [
      '?q=%22123%22&status=active%2Conother&group=3%2C4&admin=eve',
      { search: '123', status: ['active'], group: [3, 4], admin: ['eve'], offset: 0 },
    ],
    ['?q=ali&at=-1&sort=nothing&create=true', { search: 'ali', offset: 0 }],
  ])('asks for what the list of the address %p shows first', (search, query) => {
    expect(firstUsersRequest(search)).toEqual({ ...query, limit: 100, fields: FIELDS });
  });
});
