import { describe, expect, it } from '@jest/globals';
import { failedTests, tableOfFailures } from './hunt-results.mjs';

const test = (fullName: string, status: string, ...failureMessages: string[]) => ({
  fullName,
  status,
  failureMessages,
});

describe(failedTests.name, () => {
  it('names each test that failed with the first line of its error, and a file that could not be loaded', () => {
    const testResults = [
      {
        name: '/project/a.spec.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          test('works', 'passed'),
          test('waits', 'failed', '\n  not within 1 ms\n at a.ts'),
          test('is empty', 'failed'),
        ],
      },
      { name: '/project/b.spec.ts', status: 'failed', message: 'cannot be read\nat b.ts', assertionResults: [] },
      { name: '/project/c.spec.ts', status: 'passed', message: '', assertionResults: [] },
    ];
    expect(failedTests('/project', { testResults })).toEqual([
      { name: 'a.spec.ts: waits', message: '  not within 1 ms' },
      { name: 'a.spec.ts: is empty', message: 'no message' },
      { name: 'b.spec.ts', message: 'cannot be read' },
    ]);
  });
});

describe(tableOfFailures.name, () => {
  it('counts the runs that failed, and each test with its messages, the most frequent first', () => {
    const [late, wrong] = [
      { name: 'waits', message: 'late' },
      { name: 'adds', message: 'wrong' },
    ];
    expect(tableOfFailures([[wrong, late], [], [late], [{ name: 'waits', message: 'refused' }]])).toEqual({
      failedRuns: 3,
      table: '   3 × waits\n       2 × late\n       1 × refused\n   1 × adds\n       1 × wrong\n',
    });
  });

  it('is empty where nothing failed', () => {
    expect(tableOfFailures([[], []])).toEqual({ failedRuns: 0, table: '' });
  });
});
