import { types } from 'node:util';

/** An error that the operator can mend: shown as its message alone, which says what to do next. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** For scripts that cannot import this class. */
  readonly mendable = true;
}

/** What an error says. Errors of Node come from another realm in some runtimes, so that `instanceof` would miss them. */
export const messageOf = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));
