/** What the test files of a jest worker share, in packages that have the environment of `jest/environment.mjs`. */
export interface TestWorker {
  /** Values that outlive a test file, by name. */
  readonly kept: Map<string, unknown>;
  /** Called when the current test file has ended, the last first. */
  readonly atFileEnd: (() => Promise<void>)[];
  /** Called when the worker exits, unless it is killed by SIGKILL. */
  readonly atExit: (() => void)[];
}

export function testWorker(): TestWorker {
  const worker = Reflect.get(globalThis, Symbol.for('rampart.test.worker'));
  if (worker === undefined) throw new Error('These tests do not run in the environment of tools/testing/jest');
  return worker as TestWorker;
}
