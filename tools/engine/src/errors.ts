import { OperatorError } from '@rampart/program';
import type { Program } from './programs.js';

/** One strategy did not lead to the program; the message is the reason, ready to be shown. */
export class StrategyFailed extends Error {
  override name = 'StrategyFailed';
}

/** Why one strategy failed, under the name by which the operator knows that strategy. */
export interface Failure {
  strategy: string;
  reason: string;
}

/** No strategy led to the program: the message names each strategy with its reason, one per line, and what to do next. */
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

/** The reason, where a strategy failed as strategies do: by itself or because the system refused a call; undefined for a defect of ours. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof StrategyFailed) return error.message;
  return isSystemError(error) ? error.message : undefined;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
}
