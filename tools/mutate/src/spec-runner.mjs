// A plugin of Stryker that runs the spec files of a pure library, which need `describe`, `it` and `expect` alone. Jest needs
// a second or more for a mutant, most of it to load modules; here all spec files are one script, compiled once.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { commonTokens, declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fastCheck from 'fast-check';
import { bundleSpecs } from './bundle-specs.mjs';
import { collectTests } from './collect-tests.mjs';

/** What mutants share with this runner: which of them is active, and which lines a test has reached. */
const shared = {};
globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] = shared;

// The same mutants survive in each run, and the smallest failing input is not looked for.
fastCheck.configureGlobal({ seed: 1, endOnFailure: true });

/** Slower tests are left out: a mutant that no other test notices would cost as much as a hundred that one does. */
const SLOW_TEST_SECONDS = 0.5;

/** What the instrumented code calls to tell which mutants a test reaches; it makes some tests ten times as slow. */
const COUNTING = /\bstryCov_9fa48\d*\((?:"\d+"(?:, )?)+\)/g;

class SpecRunner {
  /** How long each test took, by its name. */
  durations = new Map();

  constructor(logger) {
    this.logger = logger;
  }

  async init() {
    this.folder = join(process.cwd(), 'src');
    this.code = await bundleSpecs(this.folder);
    this.compile(this.code.replace(COUNTING, '0'));
    for (const { id, cpuSeconds } of await this.run(this.load(), { all: true })) {
      this.durations.set(id, cpuSeconds);
      if (cpuSeconds > SLOW_TEST_SECONDS)
        this.logger.warn('Left out, for it takes %s s: %s', cpuSeconds.toFixed(1), id);
    }
  }

  compile(code) {
    const filename = join(this.folder, 'specs.cjs');
    const run = vm.compileFunction(code, ['require', 'module', '__dirname'], { filename });
    const require = createRequire(filename);
    this.load = () =>
      collectTests((globals) => {
        run((name) => (name === '@jest/globals' ? globals : require(name)), { exports: {} }, this.folder);
      });
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun() {
    // Stryker takes a mutant for an endless loop by the time of this run, so slow tests are left out here too.
    this.compile(this.code);
    const tests = await this.run(this.fastestFirst(this.load()), { all: true });
    const unknown = tests.find(({ id }) => !this.durations.has(id));
    if (unknown) throw new Error(`A test whose title changes could never be chosen: ${unknown.id}`);
    this.compile(this.code.replace(COUNTING, '0'));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: shared.mutantCoverage };
  }

  async mutantRun({ activeMutant: { id }, testFilter, hitLimit, disableBail, mutantActivation }) {
    shared.hitCount = hitLimit === undefined ? undefined : 0;
    shared.hitLimit = hitLimit;
    try {
      shared.activeMutant = mutantActivation === 'static' ? id : undefined;
      const tests = this.load();
      shared.activeMutant = id;
      const wanted = testFilter && new Set(testFilter);
      const reaching = wanted ? tests.filter((test) => wanted.has(test.id)) : tests;
      const results = await this.run(this.fastestFirst(reaching), { all: disableBail });
      const timeout = determineHitLimitReached(shared.hitCount, hitLimit);
      return toMutantRunResult(timeout ?? { status: DryRunStatus.Complete, tests: results }, disableBail);
    } catch (error) {
      // A module that cannot be loaded fails every test.
      return { status: MutantRunStatus.Killed, killedBy: [], failureMessage: String(error), nrOfTests: 0 };
    } finally {
      shared.activeMutant = undefined;
    }
  }

  fastestFirst(tests) {
    const duration = ({ id }) => this.durations.get(id) ?? 0;
    return tests
      .filter((test) => duration(test) <= SLOW_TEST_SECONDS)
      .sort((one, other) => duration(one) - duration(other));
  }

  /** Runs tests one after the other; without `all` it ends with the first that fails. */
  async run(tests, { all }) {
    const results = [];
    for (const { id, body } of tests) {
      shared.currentTestId = id;
      const began = performance.now();
      const before = process.cpuUsage();
      let failure;
      try {
        await body();
      } catch (error) {
        failure = error;
      }
      shared.currentTestId = undefined;
      const { user, system } = process.cpuUsage(before);
      const times = { timeSpentMs: performance.now() - began, cpuSeconds: (user + system) / 1e6 };
      const result = { id, name: id, ...times };
      if (failure === undefined) results.push({ ...result, status: TestStatus.Success });
      else results.push({ ...result, status: TestStatus.Failed, failureMessage: String(failure?.stack ?? failure) });
      if (failure !== undefined && !all) break;
    }
    return results;
  }
}

const createSpecRunner = (logger) => new SpecRunner(logger);
createSpecRunner.inject = [commonTokens.logger];

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'specs', createSpecRunner)];
