import { OperatorError } from './operator-error.js';

/** Within the ten seconds after which service managers kill. */
const SHUTDOWN_MS = 7_500;

/**
 * Runs a program from its start to a signal. SIGTERM and SIGINT close it, also while it is still starting, which then
 * opens nothing; the exit code is 0. An error ends it with exit code 1: what the operator can mend is told in its own
 * words, only a fault of ours shows its stack.
 *
 * @param start builds the program, which can be closed from then on.
 * @param open makes it reachable and says so.
 */
export function runProgram<T extends { close(): Promise<void> }>(
  start: () => Promise<T>,
  open: (program: T) => Promise<void>,
): void {
  // In a turn of its own: signals are heard before anything is started.
  const starting = Promise.resolve().then(start);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    if (closing === undefined) {
      setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
      closing = starting.then((program) => program.close());
    }
    return closing;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Not once: a terminal and its shell or npm may send the same signal twice, and the second would kill.
    process.on(signal, () => void close().then(() => process.exit(0), fail));
  }
  starting.then((program) => {
    if (closing === undefined) open(program).catch((error: unknown) => close().then(() => fail(error), fail));
  }, fail);
}

/** Runs a command to its end and tells what it has done; an error ends it as it ends a program. */
export function runCommand(command: () => Promise<string>): void {
  Promise.resolve().then(command).then(console.log, fail);
}

function fail(error: unknown): void {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exit(1);
}
