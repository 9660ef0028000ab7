// `npm run coverage`: which lines and branches of a package its own tests reach.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { installPrograms, JEST } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { coverageTable, unreachedLines } from './src/coverage-results.mjs';
import { main, root, run, StepError, step } from './steps.mjs';

const HELP = `Usage: npm run coverage -- [PACKAGE ...]

Runs the unit and integration tests of packages (libs/subscription, apps/node, …; all without an argument), and prints the
lines that they do not reach, and a table by package. A package is measured by its own tests alone: end-to-end tests run
bundles, which are not measured. dist/coverage/index.html shows the sources.
`;

const FOLDER = join(root, 'dist/coverage');
const PACKAGES = ['libs', 'apps'].flatMap((top) => readdirSync(join(root, top)).map((name) => `${top}/${name}`));

const asked = process.argv.slice(2).map((path) => path.replace(/\/+$/, ''));

if (asked.includes('--help')) process.stdout.write(HELP);
else
  await main(async () => {
    const unknown = asked.find((folder) => !PACKAGES.includes(folder));
    if (unknown !== undefined) throw new StepError(`There is no package ${unknown}: there are ${PACKAGES.join(', ')}.`);
    const folders = asked.length > 0 ? asked : PACKAGES;
    await prepare({ bundles: ['management', 'node'] });
    await step('Installing the engine and the test clients', installPrograms);
    rmSync(FOLDER, { recursive: true, force: true });
    try {
      await run(process.execPath, [...JEST, ...jestArguments(folders)], { show: true });
    } finally {
      if (existsSync(join(FOLDER, 'coverage-summary.json'))) await print(folders);
    }
  });

function jestArguments(folders) {
  const sources = folders.map((folder) => `${folder}/src/**/*.{ts,tsx}`);
  // Only product sources count: neither tests with their helpers, nor generated code.
  const others = ['**/*.spec.{ts,tsx}', '**/*.d.ts', '**/{gen,testing}/**'].map((pattern) => `!${pattern}`);
  return [
    '--coverage',
    '--coverageProvider=v8',
    `--coverageDirectory=${FOLDER}`,
    ...['json', 'json-summary', 'html'].map((name) => `--coverageReporters=${name}`),
    ...[...sources, ...others].map((pattern) => `--collectCoverageFrom=${pattern}`),
    '--selectProjects',
    ...folders,
  ];
}

async function print(folders) {
  const { transformSync } = await import('esbuild');
  const hasCode = (file) =>
    transformSync(readFileSync(join(root, file), 'utf8'), { loader: extname(file).slice(1) }).code !== '';
  // Files that have only types are never loaded, and V8 would count each of their lines as one that was not reached.
  const ofCode = (files) => Object.fromEntries(Object.entries(files).filter(([file]) => hasCode(file)));
  process.stdout.write(`\nLines that no test reaches:\n${unreachedLines(ofCode(read('coverage-final.json')))}`);
  process.stdout.write(`\n${coverageTable(folders, ofCode(read('coverage-summary.json')))}\n`);
}

/** A report by file, with paths relative to the repository. */
function read(name) {
  const { total: _, ...files } = JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
  return Object.fromEntries(Object.entries(files).map(([file, content]) => [relative(root, file), content]));
}
