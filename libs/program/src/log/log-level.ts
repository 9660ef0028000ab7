/** The levels of the log; a program logs its own level and those before it. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

/** The least important lines that are logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The forms of a line. */
export const LOG_FORMATS = ['text', 'json'] as const;

/** The form of a line; undefined: text on a terminal, and JSON elsewhere. */
export type LogFormat = (typeof LOG_FORMATS)[number] | undefined;

/** Settings of the log of a program. */
export interface LogSettings {
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}
