import TestSequencer from '@jest/test-sequencer';

/**
 * Test files that start whole programs, the longest ones first. Chaos disturbs a browser, so it comes late; tests of containers
 * wait for each other, so one of them is the first and one the last where they run.
 */
const LONG = [
  /(?:containers|\bdashboard)\.e2e\.spec/,
  /^(?!.*\b(?:compose|chaos)\.e2e).*\.e2e\.spec/,
  /chaos\.e2e\.spec/,
  /compose\.e2e\.spec/,
];

const rankOf = ({ path }) => LONG.findIndex((pattern) => pattern.test(path));
const isLong = (test) => rankOf(test) >= 0;

/**
 * Spreads the long test files over the first two thirds of a run: they disturb each other when they run at the same time,
 * and no worker is alone with one at the end. Jest orders files by the time they took, if it knows; where there was no run
 * before, as in CI, it would order them by size.
 */
export default class Sequencer extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const long = sorted.filter(isLong).sort((one, other) => rankOf(one) - rankOf(other));
    const short = sorted.filter((test) => !isLong(test));
    const between = Math.ceil((short.length * 2) / 3 / long.length);
    const first = long.flatMap((test, at) => [test, ...short.slice(at * between, (at + 1) * between)]);
    return [...first, ...short.slice(long.length * between)];
  }
}
