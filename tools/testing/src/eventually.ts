import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';

const FIRST_PAUSE_MS = 5;
/** Checks often start requests or read files, so a longer wait has longer pauses. */
const MAX_PAUSE_MS = 25;
const MAX_SHOWN = 2000;

/** Remembers and returns a value, which the error tells when the time is over. */
export type Saw = <T>(value: T) => T;

/**
 * Repeats a check until it returns neither undefined nor false, and returns that.
 * @param check calls `saw` with what it judges
 * @throws after `withinMs`, with `what` and the value that the check saw last
 */
export async function eventually<T>(
  what: string,
  check: (saw: Saw) => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let seen = '';
  let last: unknown;
  const saw: Saw = (value) => {
    last = value;
    seen = '; it saw last: ';
    return value;
  };
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.1, MAX_PAUSE_MS)) {
    const result = await check(saw);
    if (result !== undefined && result !== false) return result;
    if (performance.now() > deadline)
      throw new Error(`not within ${withinMs} ms: ${what}${seen && seen + shown(last)}`);
    await setTimeout(pauseMs);
  }
}

/** Waits until a condition holds; fails with the source text of the condition, and with what it saw last. */
export async function until(condition: (saw: Saw) => Promise<boolean> | boolean, withinMs?: number): Promise<void> {
  await eventually(`${condition}`, condition, withinMs);
}

/** The end of a text, such as the output of a program, since the news stand there; of other values the beginning. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > MAX_SHOWN ? `… ${value.slice(-MAX_SHOWN)}` : inspect(value);
  const text = inspect(value, { depth: 4, maxStringLength: MAX_SHOWN / 4, maxArrayLength: 20 });
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : text;
}
