// `npm run dev`: runs both programs, bundles them anew on every change, and restarts those that a change affects.
import { prepare } from './prepare.mjs';
import { help, readSettings } from './settings.mjs';
import { main, StepError } from './steps.mjs';

await main(async () => {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(help.replace('npm start: runs', 'npm run dev: compiles on every change and runs'));
    return;
  }
  const [unknown] = process.argv.slice(2);
  if (unknown !== undefined)
    throw new StepError(`npm run dev takes no argument "${unknown}"; npm run dev -- --help lists the settings.`);
  const settings = readSettings(process.env);
  await prepare();
  const { quickStart } = await import('./dist/quick-start.js');
  await quickStart(settings, { watch: true });
});
