import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { root, StepError } from '../../quickstart/steps.mjs';
import { sourcesOf } from './sources.mjs';

const REPORTS = join(root, 'dist/mutate');

/**
 * Mutates the sources below some paths of a package, and runs its unit tests against each mutant.
 * @returns the mutants with their files relative to the repository, and what became of each
 */
export async function mutate(folder, paths) {
  const missing = paths.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) throw new StepError(`There is no ${missing}.`);
  const packageFolder = join(root, folder);
  process.chdir(packageFolder);
  const stryker = new Stryker({
    mutate: paths.flatMap((path) => sourcesOf(join(root, path)).map((file) => relative(packageFolder, file))),
    testRunner: 'specs',
    plugins: [fileURLToPath(new URL('spec-runner.mjs', import.meta.url))],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 3_000,
    tempDirName: join(REPORTS, 'sandboxes'),
    cleanTempDir: 'always',
    // The compiler's output is not mutated, and Stryker would read the settings of the compiler with TypeScript 5.
    ignorePatterns: ['dist', 'tsconfig.json'],
    reporters: ['progress-append-only', 'json', 'html'],
    jsonReporter: { fileName: join(REPORTS, `${folder}.json`) },
    htmlReporter: { fileName: join(REPORTS, `${folder}.html`) },
    allowConsoleColors: false,
    logLevel: 'warn',
    warnings: { slow: false },
    allowEmpty: true,
  });
  const mutants = await stryker.runMutationTest();
  return mutants.map((mutant) => ({ ...mutant, file: join(folder, relative(packageFolder, mutant.fileName)) }));
}
