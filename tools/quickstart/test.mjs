// `npm test`: installs what the tests need, then lints, type-checks and runs every test. Arguments go to jest.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { main, root, run, step } from './steps.mjs';

/** Written by the reporter of `tools/testing/jest`. */
const TEST_TIMES = join(root, 'dist/test-times.json');

const node = process.execPath;
const jestArguments = process.argv.slice(2);

await main(async () => {
  await prepare({ bundles: ['management', 'node'] });
  await step('Installing the engine and the test clients', () =>
    run(node, ['tools/engine/dist/main.js', '--all-for-tests'], { show: true }),
  );
  if (jestArguments.length === 0) {
    await step('Linting', () => run('npm', ['run', '--silent', 'lint']));
    await step('Checking the table of settings', () => run('npm', ['run', '--silent', 'docs', '--', '--check']));
    await step('Checking the types of the tests', () => run('npm', ['run', '--silent', 'typecheck']));
  }
  rmSync(TEST_TIMES, { force: true });
  try {
    await run(node, ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...jestArguments], {
      show: true,
    });
  } finally {
    if (existsSync(TEST_TIMES)) {
      const { passed, failed, skipped } = JSON.parse(readFileSync(TEST_TIMES, 'utf8')).counts;
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    }
  }
});
