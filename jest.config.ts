/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const swc = {
  $schema: 'https://swc.rs/schema.json',
  module: { type: 'es6' },
  sourceMaps: 'inline',
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
};

const project = (dir: string): NonNullable<Config['projects']>[number] & object => ({
  displayName: dir,
  rootDir: `<rootDir>/${dir}`,
  testEnvironment: 'node',
  // Libraries are read from their sources, so tests need no build.
  testEnvironmentOptions: { customExportConditions: ['rampart-src', 'node', 'node-addons'] },
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata'],
});

export default {
  testTimeout: 30_000,
  maxWorkers: 2,
  // Modules of finished test files are never freed: a worker that has run many spends its time collecting garbage.
  workerIdleMemoryLimit: '1GB',
  projects: [
    'libs/domain',
    'libs/program',
    'libs/core-config',
    'libs/subscription',
    'libs/node-client',
    'apps/node',
    'apps/management',
    'tools/engine',
    'tools/lint',
    'tools/matrix',
    'tools/openapi',
    'tools/quickstart',
    'tools/e2e',
  ].map(project),
} satisfies Config;
