import { HttpException } from '@nestjs/common';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { databaseBusy } from './database-busy.js';
import { errorCode } from './error-code.js';
import { invalidFields, ManagementError, type ManagementErrorCode } from './management-error.js';

/**
 * Maps constraints to errors. The constraint decides, so of two concurrent requests with the same name one gets the error.
 * A reference breaks when its target is deleted while the change waits: an admin who makes it, or the core of a node.
 */
const CONSTRAINTS: Readonly<Record<string, ManagementErrorCode>> = {
  admins_username: 'ADMIN_EXISTS',
  api_tokens_admin_id_fkey: 'UNAUTHENTICATED',
  api_tokens_made_by_fkey: 'UNAUTHENTICATED',
  groups_name: 'GROUP_EXISTS',
  nodes_core_config_id_fkey: 'CORE_NOT_FOUND',
  nodes_name: 'NODE_EXISTS',
  user_creations_admin_id_fkey: 'UNAUTHENTICATED',
  user_templates_name: 'USER_TEMPLATE_EXISTS',
  users_admin_id_fkey: 'UNAUTHENTICATED',
  users_username: 'USER_EXISTS',
};

/** Constraints on the credentials of users, with the members that the caller has sent. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  user_credential_keys_vless: 'proxy_settings.vless.id',
  user_credential_keys_vmess: 'proxy_settings.vmess.id',
  user_credential_keys_trojan: 'proxy_settings.trojan.password',
  user_credential_keys_shadowsocks: 'proxy_settings.shadowsocks.password',
  user_credential_keys_shadowsocks_short: 'proxy_settings.shadowsocks.password',
  user_credential_keys_shadowsocks_long: 'proxy_settings.shadowsocks.password',
};

/** Error codes of Node.js and PostgreSQL for a missing or lost connection. */
const UNREACHABLE = /^(ECONN|ENOENT|ENOTFOUND|EPIPE|08|57P0|53300)/;
const CUT = /^(Connection terminated|Client has encountered a connection error)/;
/**
 * Error codes of PostgreSQL for exceeded time limits and for conflicts that it resolved, and of Node.js for network
 * timeouts.
 */
const LATE = /^(57014|55P03|25P0[34]|40P01|40001|ETIMEDOUT|EHOSTUNREACH)/;
/** Messages of the pool when no connection became available in time. */
const NO_CONNECTION = /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;

/**
 * Converts any thrown value to an error that is safe to show: our own errors are kept, of all others only the kind is
 * told.
 * @param bodyLimit maximum size in bytes of the body of this request
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
  const credential = CREDENTIALS[String(member(cause, 'constraint'))];
  if (credential !== undefined)
    return new ManagementError('CREDENTIAL_EXISTS', `Another user has the same ${credential}: choose another one`);
  return databaseFailure(cause) ?? new ManagementError('INTERNAL');
}

/** The error for a database that is unreachable or too slow right now; undefined for all other failures. */
export function databaseFailure(thrown: unknown): ManagementError | undefined {
  const cause = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  if (cause instanceof ManagementError) return cause.code === 'DATABASE_BUSY' ? cause : undefined;
  const code = errorCode(cause) ?? '';
  const message = cause instanceof Error ? cause.message : '';
  // TypeORM throws this when a connection was lost between two statements.
  const isCut = cause instanceof QueryRunnerAlreadyReleasedError;
  if (isCut || LATE.test(code) || NO_CONNECTION.test(message)) return databaseBusy();
  if (UNREACHABLE.test(code) || CUT.test(message)) return new ManagementError('DATABASE_UNAVAILABLE');
  return undefined;
}

/** Whether the connection to the server was lost. */
export const isConnectionEnded = (thrown: unknown): boolean => databaseFailure(thrown)?.code === 'DATABASE_UNAVAILABLE';

/** Maps errors of the HTTP layer by their status. Messages of the library are dropped. */
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
