/** How often the same thing is told. */
const EVERY_MS = 60_000;

/**
 * Tells a line at once, and then again at most once a minute, with how often it was held back meanwhile.
 *
 * @param log takes the line.
 * @param now the time in ms.
 */
export function rateLimitedLog(
  log: (line: string) => void,
  now = (): number => performance.now(),
): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  let held = 0;
  return (line) => {
    if (now() - last < EVERY_MS) {
      held += 1;
      return;
    }
    log(held === 0 ? line : `${line} It was the same ${held} times more since this was last told.`);
    last = now();
    held = 0;
  };
}
