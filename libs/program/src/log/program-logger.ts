import { inspect } from 'node:util';
import { redactor } from '../secrets/redact.js';
import type { LogLevel, LogSettings } from './log-level.js';
import { printableJson, printableLines, printableStack } from './printable.js';
import { explicitRequestId } from './request-id.js';
import { withSourcePositions } from './source-positions.js';

/** The levels in a line: those of Nest, whose `log` is `info` as in the setting. */
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'verbose';

const IMPORTANCE: Readonly<Record<Level | LogLevel, number>> = {
  fatal: 0,
  error: 1,
  warn: 2,
  info: 3,
  debug: 4,
  verbose: 4,
};

const COLOURS: Readonly<Record<Level, number>> = { fatal: 31, error: 31, warn: 33, info: 32, debug: 35, verbose: 36 };

export interface ProgramLoggerOptions extends LogSettings {
  /** Values that must not be shown. */
  readonly secrets?: readonly string[];
  /** The id of the request in whose course a line is written; undefined outside of requests. */
  readonly requestId?: () => string | undefined;
  readonly output?: { write(text: string): unknown; readonly isTTY?: boolean };
}

interface Line {
  readonly level: Level;
  readonly timestamp: string;
  readonly pid: number;
  readonly context?: string;
  readonly requestId?: string;
  readonly message: string;
  readonly stack?: string;
}

/** A message of several lines that are all of this program, such as a certificate: text logs keep its lines. */
export class OwnLines {
  constructor(readonly text: string) {}
}

/**
 * The logger of a program, in the form that Nest expects: the last argument is the context, and for errors the one before
 * it the stack. A line is JSON, or on a terminal plain text; secrets are removed from it whatever its level. What others
 * have said begins no line of its own and drives no terminal.
 */
export class ProgramLogger {
  private readonly redact: (text: string) => string;
  private readonly output: NonNullable<ProgramLoggerOptions['output']>;
  private readonly isText: boolean;
  private readonly hasColours: boolean;

  constructor(private readonly options: ProgramLoggerOptions) {
    this.redact = redactor(options.secrets);
    this.output = options.output ?? process.stdout;
    const isTerminal = this.output.isTTY === true;
    this.isText = options.logFormat === undefined ? isTerminal : options.logFormat === 'text';
    this.hasColours = isTerminal && !process.env['NO_COLOR'];
  }

  /** Whether there is a line for each request. */
  get logsRequests(): boolean {
    return this.options.logLevel === 'debug';
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    const [stack] = rest;
    // Nest gives a stack, or nothing, before the context.
    if (rest.length > 1) this.write('error', message, rest.slice(1), typeof stack === 'string' ? stack : undefined);
    else this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('verbose', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: readonly unknown[], stack?: string): void {
    if (IMPORTANCE[level] > IMPORTANCE[this.options.logLevel]) return;
    const context = rest.at(-1);
    // Other levels have no stacks.
    const positioned = IMPORTANCE[level] <= IMPORTANCE.warn ? withSourcePositions : (text: string) => text;
    const requestId = explicitRequestId() ?? this.options.requestId?.();
    const line: Line = {
      level,
      pid: process.pid,
      timestamp: new Date().toISOString(),
      ...(typeof context === 'string' && { context }),
      ...(requestId !== undefined && { requestId }),
      message: this.redact(positioned([message, ...rest.slice(0, -1)].map(textOf).join(' '))),
      ...(stack !== undefined && { stack: this.redact(positioned(stack)) }),
    };
    const shown = message instanceof OwnLines ? printableLines : printableStack;
    this.output.write(`${this.isText ? this.textOf(line, shown(line.message)) : printableJson(line)}\n`);
  }

  private textOf({ level, timestamp, context, requestId, stack }: Line, message: string): string {
    const name = level.toUpperCase().padEnd(5);
    const coloured = this.hasColours ? `\u001b[${COLOURS[level]}m${name}\u001b[0m` : name;
    const place = context === undefined ? '' : ` [${context}]`;
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    const trace = stack === undefined ? '' : `\n${printableStack(stack)}`;
    return `${timestamp} ${coloured}${place} ${message}${request}${trace}`;
  }
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value instanceof OwnLines) return value.text;
  return value instanceof Error
    ? (value.stack ?? value.message)
    : inspect(value, { breakLength: Number.POSITIVE_INFINITY });
};
