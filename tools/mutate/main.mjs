// `npm run mutate`: changes the code of the pure libraries in one place at a time, and tells which changes no test notices.
import { prepare } from '../quickstart/prepare.mjs';
import { main, StepError } from '../quickstart/steps.mjs';

const PACKAGES = ['libs/domain', 'libs/core-config', 'libs/subscription'];
const HELP = `Usage: npm run mutate -- [PATH ...]

Makes every small change (a mutant) of the code below the paths, runs the unit tests of the package that reach it, and
prints the changes that no test notices, and a table by package. The paths are ${PACKAGES.join(', ')}
(all of them without an argument), or folders and files below them. The whole report is written to dist/mutate.
`;

const paths = process.argv.slice(2).map((path) => path.replace(/\/+$/, ''));

if (paths.includes('--help')) process.stdout.write(HELP);
else
  await main(async () => {
    const wrong = paths.find((path) => !PACKAGES.some((folder) => `${path}/`.startsWith(`${folder}/`)));
    if (wrong !== undefined)
      throw new StepError(`No tests are measured for "${wrong}": name ${PACKAGES.join(', ')} or what is below.`);
    await prepare({ folders: PACKAGES });
    const { mutate } = await import('./src/mutate.mjs');
    const { survivorsOf, tableOf } = await import('./src/results.mjs');
    const results = [];
    for (const folder of PACKAGES) {
      const asked = paths.length > 0 ? paths.filter((path) => `${path}/`.startsWith(`${folder}/`)) : [folder];
      if (asked.length > 0) results.push({ folder, mutants: await mutate(folder, asked) });
    }
    process.stdout.write(`\n${survivorsOf(results)}\n${tableOf(results)}`);
  });
