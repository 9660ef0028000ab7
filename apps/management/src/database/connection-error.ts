import { OperatorError } from '@rampart/program';
import pg from 'pg';
import { errorCode } from '../errors/error-code.js';

/** Says why the database cannot be used, in a sentence for the operator that does not contain the password. */
export class DatabaseError extends OperatorError {
  override readonly name = 'DatabaseError';
}

/** @param setting the environment variable that holds the URL */
export function connectionError(error: unknown, url: string, setting: string): DatabaseError {
  const { host, port, user, database } = new pg.Client(url);
  const server = host.startsWith('/') ? host : `${host}:${port}`;
  if (error instanceof Error && error.message.startsWith('unsupported startup parameter')) {
    return new DatabaseError(
      `${setting}: ${server} is a connection pooler: name it in DATABASE_URL, and the server behind it in DATABASE_DIRECT_URL`,
    );
  }
  switch (errorCode(error)) {
    case '28P01':
    case '28000':
      return new DatabaseError(`${setting}: ${server} refuses the user "${user}" or its password`);
    case '3D000':
      return new DatabaseError(`${setting}: ${server} has no database "${database}"`);
    default:
      return new DatabaseError(
        `${setting}: no PostgreSQL server answers at ${server} (${errorCode(error) ?? 'no connection'})`,
      );
  }
}
