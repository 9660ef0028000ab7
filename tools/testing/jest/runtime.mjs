import { appendFileSync } from 'node:fs';
import jestRuntime from 'jest-runtime';
import { MODULE_COUNTS } from './module-counts.mjs';

/** Sources of programs and libraries, without those that belong to tests. */
const PRODUCT = /\/(?:apps|libs)\/[^/]+\/src\/(?!(?:.*\/)?testing\/)(?!.*\.spec\.ts$).*\.ts$/;

/**
 * The runtime of jest, which loads each product module once for all test files of a worker that share a context
 * (`environment.mjs`), and records how many files each test file has loaded, for the reporter of times.
 */
export default class WorkerRuntime extends jestRuntime {
  constructor(...args) {
    super(...args);
    const [, { kept }, , , sources, { collectCoverage }, testFile, { watch, watchAll }] = args;
    this.sources = sources;
    this.testFile = testFile;
    // Coverage is that of each file alone, and what is watched changes.
    if (kept !== undefined && !collectCoverage && !watch && !watchAll) this.takeModules(kept);
  }

  /** Begins with the modules that earlier test files have loaded. */
  takeModules(kept) {
    this.kept = kept;
    const { esmLoader, registries, transformCache } = this;
    for (const [url, module] of kept.modules) registries.getActiveEsmRegistry().set(url, module);
    transformCache.sourceMaps = kept.sourceMaps;
    // What a module imports later is asked of the runtime of that moment: its own may be gone.
    kept.importNow = esmLoader.dynamicImport;
    esmLoader.dynamicImport = (...args) => kept.importNow(...args);
  }

  setModuleMock(...args) {
    this.refuseMock();
    super.setModuleMock(...args);
  }

  setMock(...args) {
    this.refuseMock();
    super.setMock(...args);
  }

  refuseMock() {
    if (this.kept !== undefined)
      throw new Error(
        'Test files of this package share its modules, so none can be replaced: use jest.spyOn on an object or a class.',
      );
  }

  teardown() {
    appendFileSync(MODULE_COUNTS, `${JSON.stringify([this.testFile, this.sources.size])}\n`);
    if (this.kept !== undefined)
      for (const [url, module] of this.registries.getActiveEsmRegistry())
        if (module.status === 'evaluated' && PRODUCT.test(url)) this.kept.modules.set(url, module);
    super.teardown();
  }
}
