import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { resetModuleCounts, TEST_TIMES, takeModuleCounts } from './module-counts.mjs';

const SLOWEST = 20;

/** A reporter for jest that writes how long every test file took to `dist/test-times.json`, and prints where the time went. */
export default class TimesReporter {
  onRunStart() {
    this.startedAt = Date.now();
    resetModuleCounts();
  }

  onRunComplete(_contexts, results) {
    const { testResults, numPassedTests, numFailedTests, numPendingTests, numTodoTests } = results;
    const modules = takeModuleCounts();
    const files = testResults.map(timesOf(modules)).sort((one, other) => other.seconds - one.seconds);
    const packages = sums(files);
    const seconds = inSeconds(Date.now() - this.startedAt);
    const loaded = files.reduce((sum, file) => sum + file.modules, 0);
    const failedFiles = testResults.filter(({ testExecError }) => testExecError).length;
    const counts = {
      passed: numPassedTests,
      failed: numFailedTests + failedFiles,
      skipped: numPendingTests + numTodoTests,
    };
    writeFileSync(TEST_TIMES, `${JSON.stringify({ counts, seconds, modules: loaded, packages, files }, null, 1)}\n`);
    if (files.length <= 1) return;
    const lines = [
      `Slowest of ${files.length} test files (set-up in brackets, files loaded):`,
      ...files.slice(0, SLOWEST).map((file) => `${row(file)} ${file.file}`),
      'By package:',
      ...packages.map((sum) => `${row(sum)} ${sum.package} (${sum.files} files)`),
    ];
    process.stderr.write(`\n${lines.join('\n')}\n`);
  }
}

/** What jest measured of a test file: all of it, and the part before its first test, with its environment and its imports. */
const timesOf = (modules) => (result) => {
  const { testFilePath, perfStats, testResults } = result;
  const started = perfStats.loadTestEnvironmentStart ?? perfStats.start;
  const tests = testResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  const all = perfStats.end - started;
  return {
    file: relative(process.cwd(), testFilePath),
    seconds: inSeconds(all),
    setUpSeconds: inSeconds(Math.max(0, all - tests)),
    tests: testResults.length,
    modules: modules.get(testFilePath) ?? 0,
  };
};

function sums(files) {
  const byPackage = new Map();
  for (const { file, seconds, setUpSeconds, modules } of files) {
    const name = file.split('/').slice(0, 2).join('/');
    const sum = byPackage.get(name) ?? { package: name, files: 0, seconds: 0, setUpSeconds: 0, modules: 0 };
    sum.files += 1;
    sum.seconds = round(sum.seconds + seconds);
    sum.setUpSeconds = round(sum.setUpSeconds + setUpSeconds);
    sum.modules += modules;
    byPackage.set(name, sum);
  }
  return [...byPackage.values()].sort((one, other) => other.seconds - one.seconds);
}

const row = ({ seconds, setUpSeconds, modules }) =>
  `${seconds.toFixed(1).padStart(8)} s (${setUpSeconds.toFixed(1).padStart(6)}) ${String(modules).padStart(6)}`;
const round = (value) => Math.round(value * 10) / 10;
const inSeconds = (milliseconds) => round(milliseconds / 1000);
