import { appendFileSync } from 'node:fs';
import jestRuntime from 'jest-runtime';
import { MODULE_COUNTS } from './module-counts.mjs';

/** The runtime of jest, which also records how many files each test file has loaded, for the reporter of times. */
export default class CountingRuntime extends jestRuntime {
  constructor(...args) {
    super(...args);
    const [, , , , sources, , testFile] = args;
    this.sources = sources;
    this.testFile = testFile;
  }

  teardown() {
    appendFileSync(MODULE_COUNTS, `${JSON.stringify([this.testFile, this.sources.size])}\n`);
    super.teardown();
  }
}
