// `npm test`: installs what the tests need, then lints, type-checks and runs every test. Arguments go to jest.
import { installPrograms, runJest } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { main, run, step } from './steps.mjs';

const jestArguments = process.argv.slice(2);

await main(async () => {
  await prepare({ bundles: ['management', 'node'] });
  await step('Installing the engine and the test clients', installPrograms);
  if (jestArguments.length === 0) {
    await step('Linting', () => run('npm', ['run', '--silent', 'lint']));
    await step('Checking the table of settings', () => run('npm', ['run', '--silent', 'docs', '--', '--check']));
    await step('Checking the types of the tests', () => run('npm', ['run', '--silent', 'typecheck']));
  }
  await runJest(jestArguments);
});
