/** @jest-config-loader esbuild-register */
import { join } from 'node:path';
import type { Config } from 'jest';
import swc from './tools/quickstart/swc.json' with { type: 'json' };

const project = (dir: string) => ({
  displayName: dir,
  rootDir: `<rootDir>/${dir}`,
  testEnvironment: '<rootDir>/../../tools/testing/jest/shown-output.mjs',
  // Libraries are read from their sources, so tests need no build.
  testEnvironmentOptions: { customExportConditions: ['rampart-src', 'node', 'node-addons'] },
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, sourceMaps: 'inline' }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata'],
  runtime: '<rootDir>/../../tools/testing/jest/runtime.mjs',
});

/** A project whose test files share one copy of the dependencies in each worker, since loading them takes most of the time. */
const projectWithSharedDependencies = async (dir: string) => {
  const { bundleOf } = await import('./tools/testing/jest/dependencies.mjs');
  const { testEnvironmentOptions, moduleNameMapper, ...rest } = project(dir);
  const { folder: dependencies, pattern } = bundleOf(join(__dirname, dir));
  const imports = join(dependencies, 'imports');
  return {
    ...rest,
    globalSetup: '<rootDir>/../../tools/testing/jest/setup.mjs',
    testEnvironment: '<rootDir>/../../tools/testing/jest/environment.mjs',
    testEnvironmentOptions: { ...testEnvironmentOptions, dependencies },
    moduleNameMapper: { ...moduleNameMapper, [pattern]: [`${imports}/$1.cjs`, `${imports}/$1.mjs`] },
    setupFiles: [],
  };
};

/** Components of the dashboard in jsdom; `.css` is left out, and pages as a whole are tested in a browser (tools/e2e). */
const dashboard = {
  displayName: 'apps/dashboard',
  rootDir: '<rootDir>/apps/dashboard',
  testEnvironment: 'jsdom',
  runtime: '<rootDir>/../../tools/testing/jest/runtime.mjs',
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.spec.{ts,tsx}'],
  transform: {
    '^.+\\.[tj]sx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic' } },
        },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '\\.css$': '<rootDir>/src/testing/no-style.ts' },
  setupFiles: ['<rootDir>/src/testing/set-up.ts'],
  // Packages that have no CommonJS.
  transformIgnorePatterns: ['/node_modules/(?!\\.pnpm/@noble|@noble)'],
};

export default async (): Promise<Config> => ({
  testTimeout: 60_000,
  maxWorkers: 2,
  testSequencer: '<rootDir>/tools/testing/jest/sequencer.mjs',
  reporters: ['default', ...['times', 'skipped'].map((name) => `<rootDir>/tools/testing/jest/${name}.mjs`)],
  // Modules of finished test files are never freed: a worker that has run many spends its time collecting garbage.
  workerIdleMemoryLimit: '1GB',
  projects: await Promise.all([
    dashboard,
    ...[
      'libs/domain',
      'libs/program',
      'libs/core-config',
      'libs/probe',
      'libs/subscription',
      'libs/node-client',
      'apps/node',
      'apps/management',
      'tools/bundle',
      'tools/chaos',
      'tools/engine',
      'tools/images',
      'tools/lint',
      'tools/matrix',
      'tools/mutate',
      'tools/openapi',
      'tools/quickstart',
      'tools/testing',
      'tools/e2e',
    ].map((dir) => (dir.startsWith('apps/') ? projectWithSharedDependencies(dir) : project(dir))),
  ]),
});
