import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads how far ahead the clock is at every look at it, so that a change counts at once. */
const PRELOADED = `import { readFileSync } from 'node:fs';
const now = Date.now;
Date.now = () => now() + Number(readFileSync(process.env.TEST_CLOCK, 'utf8'));
globalThis.Date = new Proxy(Date, {
  construct: (date, given, self) => Reflect.construct(date, given.length > 0 ? given : [Date.now()], self),
});
`;

export interface MovedClock {
  /** Settings of the process whose clock it is. */
  readonly env: Readonly<Record<string, string>>;
  moveTo(minutesAhead: number): void;
}

/** A clock of a process that a test moves, without waiting. Its files lie in a folder of the test. */
export function movedClock(folder: string): MovedClock {
  const [script, file] = [join(folder, 'clock.mjs'), join(folder, 'clock')];
  const moveTo = (minutes: number): void => writeFileSync(file, String(minutes * 60_000));
  writeFileSync(script, PRELOADED);
  moveTo(0);
  return { env: { NODE_OPTIONS: `--import=${script}`, TEST_CLOCK: file }, moveTo };
}
