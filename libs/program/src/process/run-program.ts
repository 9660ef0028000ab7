import { inspect } from 'node:util';
import { printableLines } from '../log/printable.js';
import { withSourcePositions } from '../log/source-positions.js';
import { redactor } from '../secrets/redact.js';
import { OperatorError } from './operator-error.js';

/** Time that closing may take, in ms. Service managers kill a program after 10 s. */
const SHUTDOWN_MS = 7_500;

/**
 * Runs a program until SIGTERM or SIGINT, which close it. A signal during the start closes the program before it opens
 * anything. An error ends it with exit code 1; an `OperatorError` is printed as its message, any other error with its
 * stack. Where the program has set `process.exitCode`, it ends with that code, however it closes.
 *
 * @param start builds the program, which can be closed from then on. `close` gets the signal; an error has none.
 * @param open makes the program reachable, and logs that.
 */
export function runProgram<T extends { close(signal?: NodeJS.Signals): Promise<void> }>(
  start: () => Promise<T>,
  open: (program: T) => Promise<void>,
): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    if (error instanceof Error && error.stack !== undefined) error.stack = withSourcePositions(error.stack);
  });
  // `start` runs in the next microtask, so that the signal handlers are installed before.
  const starting = Promise.resolve().then(start);
  let closing: Promise<void> | undefined;
  const close = (signal?: NodeJS.Signals): Promise<void> => {
    if (closing === undefined) {
      setTimeout(() => process.exit(process.exitCode ?? 1), SHUTDOWN_MS).unref();
      closing = starting.then((program) => program.close(signal));
    }
    return closing;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // `on` instead of `once`: a terminal and npm may send the same signal twice, and the second one would kill the process.
    process.on(signal, () => void close(signal).then(() => process.exit(), fail));
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
  const text = error instanceof OperatorError ? error.message : withSourcePositions(inspect(error));
  console.error(printableLines(redactor()(text)));
  process.exit(process.exitCode ?? 1);
}
