import { HttpException } from '@nestjs/common';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { databaseBusy } from './database-busy.js';
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
const UNREACHABLE = /^(ECONN|ENOENT|ENOTFOUND|EPIPE|08|57P0|53300)/;
const CUT = /^(Connection terminated|Client has encountered a connection error)/;
/** PostgreSQL's for a limit on time that was passed, or a conflict that it ended; and Node's for one on the network. */
const LATE = /^(57014|55P03|25P0[34]|40P01|40001|ETIMEDOUT|EHOSTUNREACH)/;
/** The pool's: there was no connection in time. */
const NO_CONNECTION = /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;

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
  if (cause instanceof ManagementError) return cause;
  const taken = CONSTRAINTS[String(member(cause, 'constraint'))];
  if (taken) return new ManagementError(taken);
  return databaseFailure(cause) ?? new ManagementError('INTERNAL');
}

/** What a caller is told of a database that cannot be asked now, and may be in a moment; nothing for all other failures. */
export function databaseFailure(thrown: unknown): ManagementError | undefined {
  const cause = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  if (cause instanceof ManagementError) return cause.code === 'DATABASE_BUSY' ? cause : undefined;
  const code = errorCode(cause) ?? '';
  const message = cause instanceof Error ? cause.message : '';
  // TypeORM's for a connection that was cut between two statements.
  const isCut = cause instanceof QueryRunnerAlreadyReleasedError;
  if (isCut || LATE.test(code) || NO_CONNECTION.test(message)) return databaseBusy();
  if (UNREACHABLE.test(code) || CUT.test(message)) return new ManagementError('DATABASE_UNAVAILABLE');
  return undefined;
}

/** Whether the server, or the way to it, has ended the connection. */
export const isConnectionEnded = (thrown: unknown): boolean => databaseFailure(thrown)?.code === 'DATABASE_UNAVAILABLE';

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
