import { HttpException } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { errorCode } from './error-code.js';
import { invalidFields, ManagementError, type ManagementErrorCode } from './management-error.js';

/** A unique name that is taken; the constraint decides, so two requests at the same moment are told apart too. */
const CONSTRAINTS: Readonly<Record<string, ManagementErrorCode>> = {
  admins_username: 'ADMIN_EXISTS',
  groups_name: 'GROUP_EXISTS',
  nodes_name: 'NODE_EXISTS',
  user_templates_name: 'USER_TEMPLATE_EXISTS',
  users_username: 'USER_EXISTS',
};

/** Node's and PostgreSQL's ways to say that there is no connection (any more). */
const UNREACHABLE = /^(ECONN|ENOENT|ENOTFOUND|ETIMEDOUT|EPIPE|08|57P0|53300)/;

/**
 * What any thrown value looks like from outside: our own errors as they are, all else without its words.
 *
 * @param bodyLimit in bytes, that of the request
 */
export function toManagementError(thrown: unknown, bodyLimit: number): ManagementError {
  if (thrown instanceof ManagementError) return thrown;
  if (thrown instanceof HttpException) return ofHttpStatus(thrown.getStatus(), bodyLimit);
  const status = member(thrown, 'statusCode');
  if (typeof status === 'number') return ofHttpStatus(status, bodyLimit);
  const cause = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  const taken = CONSTRAINTS[String(member(cause, 'constraint'))];
  if (taken) return new ManagementError(taken);
  return new ManagementError(UNREACHABLE.test(errorCode(cause) ?? '') ? 'DATABASE_UNAVAILABLE' : 'INTERNAL');
}

/** Errors of the HTTP layer: they carry a status, and words of the library that are left out. */
function ofHttpStatus(status: number, bodyLimit: number): ManagementError {
  switch (status) {
    case 400:
      return invalidFields({ body: 'JSON decode error' });
    case 404:
      return new ManagementError('NOT_FOUND');
    case 413:
      return new ManagementError('BODY_TOO_LARGE', `The body is larger than ${sizeOf(bodyLimit)}`);
    case 415:
      return new ManagementError('MEDIA_TYPE_UNSUPPORTED');
    default:
      return new ManagementError('INTERNAL');
  }
}

const sizeOf = (bytes: number): string => (bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`);

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
