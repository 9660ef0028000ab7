import { describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { databaseBusy } from './database-busy.js';
import { ManagementError } from './management-error.js';
import { toManagementError } from './to-management-error.js';

const shown = (thrown: unknown) => {
  const { status, code, detail } = toManagementError(thrown, 3 * 2 ** 20);
  return [status, code, detail];
};
const query = (members: object) =>
  new QueryFailedError('INSERT INTO secrets', ['hunter2'], Object.assign(new Error('SQL text'), members));

const BUSY = [503, 'DATABASE_BUSY', 'The database does not answer in time, try again in a moment'];

describe(toManagementError.name, () => {
  it('returns our own errors unchanged', () => {
    const error = new ManagementError('GROUP_NOT_FOUND');
    expect(toManagementError(error, 1)).toBe(error);
  });

  it.each([
    [query({ code: '23505', constraint: 'users_username' }), [409, 'USER_EXISTS', 'User already exists']],
    [query({ code: '23505', constraint: 'groups_name' }), [409, 'GROUP_EXISTS', 'Group by this name already exists']],
    [query({ code: '23503', constraint: 'other' }), [500, 'INTERNAL', 'Internal error']],
    ...['57014', '55P03', '25P03', '40P01', '40001'].map((code): [unknown, unknown[]] => [query({ code }), BUSY]),
    [new Error('timeout exceeded when trying to connect'), BUSY],
    [new Error('Connection terminated due to connection timeout'), BUSY],
    [Object.assign(new Error('SQL text'), { driverError: databaseBusy() }), [500, 'INTERNAL', 'Internal error']],
    [new QueryFailedError('SELECT', [], databaseBusy()), BUSY],
    [new QueryRunnerAlreadyReleasedError(), BUSY],
    [new Error('Connection terminated unexpectedly'), [503, 'DATABASE_UNAVAILABLE', 'The database does not answer']],
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
  ])('converts %s without its message', (thrown, expected) => {
    expect(shown(thrown)).toEqual(expected);
  });
});
