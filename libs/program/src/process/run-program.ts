import { OperatorError } from './operator-error.js';

/** Time that closing may take, in ms. Service managers kill a program after 10 s. */
const SHUTDOWN_MS = 7_500;

/**
 * Runs a program until SIGTERM or SIGINT, which close it with exit code 0. A signal during the start closes the program
 * before it opens anything. An error ends it with exit code 1; an `OperatorError` is printed as its message, any other
 * error with its stack.
 *
 * @param start builds the program, which can be closed from then on.
 * @param open makes the program reachable, and logs that.
 */
export function runProgram<T extends { close(): Promise<void> }>(
  start: () => Promise<T>,
  open: (program: T) => Promise<void>,
): void {
  // `start` runs in the next microtask, so that the signal handlers are installed before.
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
    // `on` instead of `once`: a terminal and npm may send the same signal twice, and the second one would kill the process.
    process.on(signal, () => void close().then(() => process.exit(0), fail));
  }
  starting.then((program) => {
    if (closing === undefined) open(program).catch((error: unknown) => close().then(() => fail(error), fail));
  }, fail);
}

/** Runs a command and prints the text that it returns. Errors are handled as in `runProgram`. */
export function runCommand(command: () => Promise<string>): void {
  Promise.resolve().then(command).then(console.log, fail);
}

function fail(error: unknown): void {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exit(1);
}
