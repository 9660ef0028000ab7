import { OperatorError } from '@rampart/program';
import type { Program } from './programs.js';

/** One strategy failed to find the program. The message is the reason, written for the operator. */
export class StrategyFailed extends Error {
  override name = 'StrategyFailed';
}

/** The label of a strategy that failed, and the reason. */
export interface Failure {
  strategy: string;
  reason: string;
}

/** Every strategy failed: the message names each one with its reason, one per line, and what to do next. */
export class ProgramUnavailable extends OperatorError {
  override readonly name = 'ProgramUnavailable';

  constructor(
    readonly program: Program,
    readonly failures: Failure[],
    advice: string,
  ) {
    const strategies = failures.map(({ strategy, reason }) => `  ${strategy}: ${reason.replaceAll('\n', '\n    ')}`);
    super([`${program.name} ${program.version} is not available:`, ...strategies, advice].join('\n'));
  }
}

/** The reason of a StrategyFailed or of a failed system call; undefined for any other error, which is a defect. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof StrategyFailed) return error.message;
  return isSystemError(error) ? error.message : undefined;
}

/** The message of a thrown value of any type. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
}
