// `npm run dev`: both programs from this tree; a change in the sources is compiled and restarts what it touches.
import { main, prepare, StepError } from './prepare.mjs';
import { help, readSettings } from './settings.mjs';

await main(async () => {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(help.replace('npm start: runs', 'npm run dev: compiles on every change and runs'));
    return;
  }
  const [unknown] = process.argv.slice(2);
  if (unknown !== undefined)
    throw new StepError(`npm run dev knows no "${unknown}"; npm run dev -- --help lists the settings.`);
  const settings = readSettings(process.env);
  await prepare();
  const { quickStart } = await import('./dist/quick-start.js');
  await quickStart(settings, { watch: true });
});
