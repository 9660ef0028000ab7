import { OperatorError } from '@rampart/program';
import type { Program } from './programs.js';

/** One way did not lead to the program; the message is the reason, ready to be shown. */
export class WayFailed extends Error {
  override name = 'WayFailed';
}

/** Why one way failed, under the name by which the operator knows that way. */
export interface Failure {
  way: string;
  reason: string;
}

/** No way led to the program: the message names each way with its reason, one per line, and what to do next. */
export class ProgramUnavailable extends OperatorError {
  override readonly name = 'ProgramUnavailable';

  constructor(
    readonly program: Program,
    readonly failures: Failure[],
    advice: string,
  ) {
    const ways = failures.map(({ way, reason }) => `  ${way}: ${reason.replaceAll('\n', '\n    ')}`);
    super([`${program.name} ${program.version} is not available:`, ...ways, advice].join('\n'));
  }
}

/** The reason, where a way failed as ways do: by itself or because the system refused a call; undefined for a defect of ours. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof WayFailed) return error.message;
  return isSystemError(error) ? error.message : undefined;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
}
