import { types } from 'node:util';

/** An error that the operator can fix: it is printed without a stack, and its message says what to do. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** Marks the error for scripts that cannot import this class. */
  readonly isOperatorError = true;
}

/** The message of an error, or any other value as text. `instanceof` misses errors of Node.js from another realm. */
export const messageOf = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));
