// `npm start`: installs, builds and runs Rampart on a machine that has only Node.js.
import { prepare } from './prepare.mjs';
import { help, readSettings } from './settings.mjs';
import { main, StepError } from './steps.mjs';

await main(async () => {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(help);
    return;
  }
  const [unknown] = process.argv.slice(2);
  if (unknown !== undefined)
    throw new StepError(`npm start takes no argument "${unknown}"; npm start -- --help lists the settings.`);
  const settings = readSettings(process.env);
  await prepare({ bundles: ['node', 'management'] });
  const { quickStart } = await import('./dist/quick-start.js');
  await quickStart(settings);
});
