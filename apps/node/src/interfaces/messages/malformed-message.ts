import { NodeError } from '../../errors/node-error.js';

/** The error for bytes that are not the message which they should be; one of ours stays as it is. */
export const malformedMessageError = (message: string, cause: unknown): NodeError =>
  cause instanceof NodeError
    ? cause
    : new NodeError(
        'INVALID_ARGUMENT',
        `not a valid ${message} message: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
