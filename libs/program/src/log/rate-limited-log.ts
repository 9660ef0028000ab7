/** Shortest time between two lines. */
const INTERVAL_MS = 60_000;

/**
 * A function that logs a line at once, and then at most once a minute, with the number of lines that were dropped between.
 *
 * @param log writes a line.
 * @param now returns a monotonic time in ms.
 */
export function rateLimitedLog(
  log: (line: string) => void,
  now = (): number => performance.now(),
): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  let dropped = 0;
  return (line) => {
    if (now() - last < INTERVAL_MS) {
      dropped += 1;
      return;
    }
    log(dropped === 0 ? line : `${line} It was the same ${dropped} more times since this line was last written.`);
    last = now();
    dropped = 0;
  };
}
