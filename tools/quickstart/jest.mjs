// Runs the tests, and says in one line how they ended.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './steps.mjs';

/** Written by the reporter of `tools/testing/jest`. */
const TEST_TIMES = join(root, 'dist/test-times.json');

/** The arguments of Node.js with which jest runs modules. */
export const JEST = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];

/** @param env settings of the tests, beside those of this process */
export async function runJest(args, env = {}) {
  rmSync(TEST_TIMES, { force: true });
  try {
    await run(process.execPath, [...JEST, ...args], { env, show: true });
  } finally {
    if (existsSync(TEST_TIMES)) {
      const { passed, failed, skipped } = JSON.parse(readFileSync(TEST_TIMES, 'utf8')).counts;
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    }
  }
}

/** Installs the programs that tests run: the engine, and the clients of users. */
export const installPrograms = () =>
  run(process.execPath, ['tools/engine/dist/main.js', '--all-for-tests'], { show: true });
