import { describe, expect, it } from '@jest/globals';
import { survivorsOf, tableOf } from './results.mjs';

const mutant = (status: string, line = 1, file = 'libs/a/src/a.ts') => ({
  status,
  file,
  location: { start: { line, column: 5 } },
  mutatorName: 'BooleanLiteral',
  replacement: 'false',
});

describe(survivorsOf.name, () => {
  it('names what no test noticed by file and line, and what no test reaches', () => {
    const block = { ...mutant('NoCoverage', 9), mutatorName: 'BlockStatement', replacement: '{\n  }' };
    const results = [
      { folder: 'libs/b', mutants: [mutant('Survived', 1, 'libs/b/src/b.ts')] },
      { folder: 'libs/a', mutants: [mutant('Survived', 10), block, mutant('Killed'), mutant('Timeout')] },
    ];
    expect(survivorsOf(results)).toBe(
      [
        'libs/a/src/a.ts:9:5  BlockStatement: { } (no test comes here)\n',
        'libs/a/src/a.ts:10:5  BooleanLiteral: false\n',
        'libs/b/src/b.ts:1:5  BooleanLiteral: false\n',
      ].join(''),
    );
  });
});

describe(tableOf.name, () => {
  it('counts an endless loop as noticed, what no test reaches as missed, and leaves out what does not compile', () => {
    const statuses = [
      'Killed',
      'Killed',
      'Timeout',
      'Survived',
      'NoCoverage',
      'CompileError',
      'RuntimeError',
      'Ignored',
    ];
    expect(
      tableOf([
        { folder: 'libs/a', mutants: statuses.map((status) => mutant(status)) },
        { folder: 'libs/empty', mutants: [] },
      ]),
    ).toBe(
      [
        'package     mutants  killed  timed out  survived  untested   score\n',
        'libs/a            5       2          1         1         1  60.0 %\n',
        'libs/empty        0       0          0         0         0\n',
      ].join(''),
    );
  });
});
