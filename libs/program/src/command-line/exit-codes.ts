import { OperatorError } from '../process/operator-error.js';

/** The exit codes of the command lines. Scripts rely on them. */
export const EXIT_CODES = {
  done: 0,
  /** The command failed or was refused, or a check found something wrong. */
  failed: 1,
  /** The command or its arguments do not exist. */
  usage: 2,
  /** The running service cannot be reached. */
  unreachable: 3,
} as const;

/** The running service cannot be reached; the message says where it was looked for and what to do. */
export class UnreachableError extends OperatorError {
  override readonly name = 'UnreachableError';
}
