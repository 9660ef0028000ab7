// `npm run tree`: writes the files that one program needs at run time into a folder. deploy/Dockerfile and bare metal use it.
import { parseArgs } from 'node:util';
import { PROGRAMS } from '../bundle/src/programs.mjs';
import { main, StepError, step } from '../quickstart/steps.mjs';
import { folderSize, megabytes } from './src/folder-size.mjs';
import { build, writeTree } from './src/runtime-tree.mjs';

const HELP = `npm run tree: writes the files that one program needs at run time into a new folder.

  npm run tree -- management FOLDER   the program in one file, and the packages that stay outside of it
  npm run tree -- node FOLDER         the same, and the engine
  npm run tree -- --build             only installs what the build needs, and builds

The folder has no sources and no tools. Its program starts with "node FOLDER/main.cjs"; FOLDER/rampart.cjs is its command
line.`;

await main(async () => {
  const { values, positionals } = readArguments();
  if (values.help) return console.log(HELP);
  const [app, folder, ...more] = positionals;
  if (values.build && app === undefined) return build();
  if (!Object.hasOwn(PROGRAMS, app ?? '')) throw new StepError(`The program must be management or node.\n\n${HELP}`);
  if (folder === undefined || more.length > 0) throw new StepError(`Name one folder.\n\n${HELP}`);
  await build();
  await step(`Writing ${app} to ${folder}`, () => writeTree(app, folder));
  console.log(`${app}: ${megabytes(folderSize(folder))} in ${folder}`);
});

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { build: { type: 'boolean' }, help: { type: 'boolean' } } });
  } catch (error) {
    throw new StepError(`${error.message}\n\n${HELP}`);
  }
}
