import { relative } from 'node:path';

/** The names of the tests that failed in a run of jest, each with the first line of its error. */
export function failedTests(root, { testResults }) {
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const path = relative(root, file);
    // A file that could not be loaded has no tests.
    if (failed.length === 0 && status === 'failed') return [{ name: path, message: firstLine(message) }];
    return failed.map((test) => ({ name: `${path}: ${test.fullName}`, message: firstLine(test.failureMessages[0]) }));
  });
}

/** How often which test failed in some runs, and with what, the most frequent first. */
export function tableOfFailures(runs) {
  const failures = new Map();
  for (const { name, message } of runs.flat()) {
    const { count = 0, messages = new Map() } = failures.get(name) ?? {};
    messages.set(message, (messages.get(message) ?? 0) + 1);
    failures.set(name, { count: count + 1, messages });
  }
  const lines = [...failures]
    .sort(([, one], [, other]) => other.count - one.count)
    .flatMap(([name, { count, messages }]) => [
      `${String(count).padStart(4)} × ${name}\n`,
      ...[...messages].map(([message, often]) => `       ${often} × ${message}\n`),
    ]);
  return { failedRuns: runs.filter((failed) => failed.length > 0).length, table: lines.join('') };
}

const firstLine = (text = '') => text.split('\n').find((line) => line.trim() !== '') ?? 'no message';
