import type { CommandAnswer } from '../command-line/command-line.js';
import { EXIT_CODES } from '../command-line/exit-codes.js';
import { printable } from '../log/printable.js';

export const CHECK_STATES = ['ok', 'warning', 'wrong'] as const;
/** `warning`: it works, but not for long or not for everybody. `wrong`: it does not work. */
export type CheckState = (typeof CHECK_STATES)[number];

/** What a doctor has found about one thing. */
export interface Check {
  /** What was looked at, such as `database`. */
  readonly name: string;
  readonly state: CheckState;
  /** What was seen, in a sentence. */
  readonly seen: string;
  /** What to do, in a sentence; null where nothing is to be done. */
  readonly advice: string | null;
}

export const ok = (name: string, seen: string): Check => ({ name, state: 'ok', seen, advice: null });
export const warning = (name: string, seen: string, advice: string): Check => ({
  name,
  state: 'warning',
  seen,
  advice,
});
export const wrong = (name: string, seen: string, advice: string): Check => ({ name, state: 'wrong', seen, advice });

/** Prints checks, what to do below each, and how many there are of each state. The exit code is 1 if one is wrong. */
export function checkReport(checks: readonly Check[]): CommandAnswer {
  const width = Math.max(0, ...checks.map(({ name }) => [...printable(name)].length));
  const lines = checks.flatMap(({ name, state, seen, advice }) => [
    `${state.padEnd(STATE_WIDTH)}  ${printable(name).padEnd(width)}  ${printable(seen)}`,
    ...(advice === null ? [] : [`${' '.repeat(STATE_WIDTH + width + 4)}-> ${printable(advice)}`]),
  ]);
  const count = (state: CheckState): number => checks.filter((check) => check.state === state).length;
  const summary = { ok: count('ok'), warnings: count('warning'), wrong: count('wrong') };
  lines.push(`${summary.ok} ok, ${summary.warnings} to watch, ${summary.wrong} wrong`);
  return {
    text: lines.join('\n'),
    json: { ...summary, checks },
    exitCode: summary.wrong === 0 ? EXIT_CODES.done : EXIT_CODES.failed,
  };
}

const STATE_WIDTH = Math.max(...CHECK_STATES.map((state) => state.length));
