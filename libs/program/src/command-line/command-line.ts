import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { printableLines } from '../log/printable.js';
import { withSourcePositions } from '../log/source-positions.js';
import { messageOf, OperatorError } from '../process/operator-error.js';
import { EXIT_CODES, UnreachableError } from './exit-codes.js';

/** What a command prints on standard output. */
export interface CommandAnswer {
  /** What people read. An empty text prints nothing. */
  readonly text: string;
  /** What scripts read: `--json` prints it as one document, and undefined prints nothing. */
  readonly json: unknown;
  /** 0 if absent. */
  readonly exitCode?: number;
}

interface CommandLineOptions {
  /** The name of the program. */
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** A text that follows the list of commands in `--help`. */
  readonly epilogue?: string;
}

/** Creates the root command. Subcommands that are made by its method `command` behave alike. */
export function createCommandLine({ name, description, version, epilogue }: CommandLineOptions): Command {
  const root = new Command(name)
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--json', 'print one JSON document instead of text')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, helpWidth: 120 })
    .configureOutput({ getOutHasColors: () => false, getErrHasColors: () => false })
    .showHelpAfterError('(add --help for what is possible)');
  return epilogue === undefined ? root : root.addHelpText('after', `\n${epilogue}`);
}

/**
 * Makes an action of a function that answers with what to print.
 *
 * @param run gets the arguments of its command, then all its options, global ones included.
 * @returns a function for the method `action` of a command.
 */
export function printing<A extends unknown[]>(
  run: (...given: A) => Promise<CommandAnswer> | CommandAnswer,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1);
    if (!(command instanceof Command)) throw new Error('an action is called by its command');
    const answer = await run(...([...given.slice(0, -2), command.optsWithGlobals()] as A));
    const text = isJson(command) ? (JSON.stringify(answer.json, undefined, 2) ?? '') : answer.text;
    if (text !== '') process.stdout.write(`${text}\n`);
    process.exitCode = answer.exitCode ?? EXIT_CODES.done;
  };
}

/** Whether `--json` is given. */
export const isJson = (command: Command): boolean => command.optsWithGlobals()['json'] === true;

/**
 * Runs the command that the arguments name, and sets the exit code of the process. An error goes to standard error: an
 * `OperatorError` as its message, any other with its stack; with `--json` as `{"error", "code"}`.
 *
 * @param args as in `process.argv`, with the two paths at its begin.
 */
export async function runCommandLine(root: Command, args: readonly string[]): Promise<void> {
  // The reader of a pipe, such as `head`, may have read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    await root.parseAsync(args);
  } catch (error) {
    process.exitCode = report(error, root);
  }
}

function report(error: unknown, root: Command): number {
  // Commander has printed its message already, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  const message = error instanceof OperatorError ? error.message : undefined;
  if (isJson(root)) {
    const code: unknown = error instanceof OperatorError ? Reflect.get(error, 'code') : undefined;
    console.error(JSON.stringify({ error: message ?? messageOf(error), code: code ?? null }));
  } else console.error(printableLines(message ?? withSourcePositions(inspect(error))));
  return error instanceof UnreachableError ? EXIT_CODES.unreachable : EXIT_CODES.failed;
}
