import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ProgressLine } from './progress-line.js';

/** What is written for steps of a work of 40, where each look at the clock takes 60 milliseconds. */
function shown(isTTY: boolean, steps: readonly number[]): string {
  const output = Object.assign(new PassThrough(), { isTTY });
  let time = 1_000;
  const line = new ProgressLine(output, () => {
    time += 60;
    return time;
  });
  for (const done of steps) line.show('rows written', done, 40);
  line.end();
  return String(output.read());
}

describe(ProgressLine.name, () => {
  it('writes a line for each tenth where there is no terminal', () => {
    expect(shown(false, [1, 5, 7, 8, 39, 40])).toBe(
      '0 % of rows written\n10 % of rows written\n20 % of rows written\n90 % of rows written\n100 % of rows written\n',
    );
  });

  it('redraws one line of a terminal not too often, shows the end, and begins a new line after it', () => {
    expect(shown(true, [10, 20, 40])).toBe('\r10 of 40 rows written, 25 %\r40 of 40 rows written, 100 %\n');
  });

  it('is complete when there is nothing to do', () => {
    const output = new PassThrough();
    new ProgressLine(output).show('rows written', 0, 0);
    expect(String(output.read())).toBe('100 % of rows written\n');
  });
});
