import { describe, expect, it } from '@jest/globals';
import { coverageTable, unreachedLines } from './coverage-results.mjs';

const share = (covered: number, total: number) => ({ covered, total });
const statement = (start: number, end = start) => ({ start: { line: start }, end: { line: end } });

describe(coverageTable.name, () => {
  it('adds the files of each package', () => {
    const summary = {
      'libs/a/src/one.ts': { lines: share(5, 10), branches: share(0, 0) },
      'libs/a/src/two.ts': { lines: share(10, 10), branches: share(1, 3) },
      'libs/ab/src/one.ts': { lines: share(1, 1), branches: share(0, 0) },
    };
    expect(coverageTable(['libs/a', 'libs/ab', 'libs/none'], summary).split('\n')).toEqual([
      'package    files  lines  reached  branches   taken',
      'libs/a         2     20   75.0 %         3  33.3 %',
      'libs/ab        1      1  100.0 %         0',
      'libs/none      0      0                  0',
    ]);
  });
});

describe(unreachedLines.name, () => {
  it('names lines of which no part was reached, by file', () => {
    const coverage = {
      'libs/b.ts': {
        statementMap: { 0: statement(1), 1: statement(3, 5), 2: statement(4), 3: statement(9) },
        s: [0, 0, 1, 0],
      },
      'libs/a.ts': { statementMap: { 0: statement(7, 8) }, s: [0] },
      'libs/whole.ts': { statementMap: { 0: statement(1) }, s: [2] },
    };
    expect(unreachedLines(coverage)).toBe('libs/a.ts: 7-8\nlibs/b.ts: 1, 3, 5, 9\n');
  });
});
