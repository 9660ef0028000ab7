import { expect, it } from '@jest/globals';
import { rateLimitedLog } from './rate-limited-log.js';

it('rateLimitedLog logs a line once a minute, with the number of dropped lines', () => {
  const told: string[] = [];
  let now = 0;
  const log = rateLimitedLog(
    (line) => told.push(line),
    () => now,
  );
  for (const time of [0, 1, 59_999, 60_000, 60_001, 120_000, 180_000]) {
    now = time;
    log(`At ${time}.`);
  }
  expect(told).toEqual([
    'At 0.',
    'At 60000. It was the same 2 more times since this line was last written.',
    'At 120000. It was the same 1 more times since this line was last written.',
    'At 180000.',
  ]);
});
