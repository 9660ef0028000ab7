import { describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { toManagementError } from './error-funnel.js';
import { ManagementError } from './management-error.js';

const shown = (thrown: unknown) => {
  const { status, code, detail } = toManagementError(thrown, 3 * 2 ** 20);
  return [status, code, detail];
};
const query = (members: object) =>
  new QueryFailedError('INSERT INTO secrets', ['hunter2'], Object.assign(new Error('SQL text'), members));

describe('toManagementError', () => {
  it('lets our own errors pass', () => {
    const error = new ManagementError('GROUP_NOT_FOUND');
    expect(toManagementError(error, 1)).toBe(error);
  });

  it.each([
    [query({ code: '23505', constraint: 'users_username' }), [409, 'USER_EXISTS', 'User already exists']],
    [query({ code: '23505', constraint: 'groups_name' }), [409, 'GROUP_EXISTS', 'Group by this name already exists']],
    [query({ code: '23503', constraint: 'other' }), [500, 'INTERNAL', 'Internal error']],
    [query({ code: '57P01' }), [503, 'DATABASE_UNAVAILABLE', 'The database does not answer']],
    [
      Object.assign(new Error(), { code: 'ECONNREFUSED' }),
      [503, 'DATABASE_UNAVAILABLE', 'The database does not answer'],
    ],
    [new HttpException('Cannot GET /x', 404), [404, 'NOT_FOUND', 'Not Found']],
    [new HttpException('Unexpected token', 400), [422, 'INVALID_FIELDS', { body: 'JSON decode error' }]],
    [
      Object.assign(new Error('FST_ERR'), { statusCode: 413 }),
      [413, 'BODY_TOO_LARGE', 'The body is larger than 3 MiB'],
    ],
    [
      Object.assign(new Error('FST_ERR'), { statusCode: 415 }),
      [415, 'MEDIA_TYPE_UNSUPPORTED', 'The body must be JSON'],
    ],
    [new TypeError('x is not a function'), [500, 'INTERNAL', 'Internal error']],
    ['text', [500, 'INTERNAL', 'Internal error']],
    [null, [500, 'INTERNAL', 'Internal error']],
  ])('shows %s without its words', (thrown, expected) => {
    expect(shown(thrown)).toEqual(expected);
  });
});
