// `npm run bundle`: builds and bundles programs, as npm start and the images run them.
import { prepare } from '../quickstart/prepare.mjs';
import { main, StepError } from '../quickstart/steps.mjs';

const APPS = ['management', 'node'];

await main(async () => {
  const asked = process.argv.slice(2);
  const unknown = asked.find((app) => !APPS.includes(app));
  if (unknown !== undefined)
    throw new StepError(`There is no program "${unknown}": name ${APPS.join(' or ')}, or none for both.`);
  const apps = asked.length > 0 ? asked : APPS;
  await prepare({ folders: apps.map((app) => `apps/${app}`), bundles: apps });
});
