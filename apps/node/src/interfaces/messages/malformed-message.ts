import { messageOf } from '@rampart/program';
import { NodeError } from '../../errors/node-error.js';

/** The error for bytes that are not a valid message; a NodeError stays as it is. */
export const malformedMessageError = (message: string, cause: unknown): NodeError =>
  cause instanceof NodeError
    ? cause
    : new NodeError('INVALID_ARGUMENT', `not a valid ${message} message: ${messageOf(cause)}`, { cause });
