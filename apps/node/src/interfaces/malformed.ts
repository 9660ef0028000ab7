import { NodeError } from '../errors/node-error.js';

/** The error for bytes that are not the message which they should be. */
export const malformed = (message: string, cause: unknown): NodeError =>
  new NodeError(
    'INVALID_ARGUMENT',
    `not a valid ${message} message: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  );
