import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { copyExternalPackages } from '../../bundle/src/external-packages.mjs';
import { bundleFolder, PROGRAMS } from '../../bundle/src/programs.mjs';
import { prepare } from '../../quickstart/prepare.mjs';
import { root, StepError } from '../../quickstart/steps.mjs';

export { DEAD_WEIGHT } from '../../bundle/src/external-packages.mjs';
export { workspacePackages } from '../../bundle/src/workspace-packages.mjs';

/** Where the node's tree has the engine. Its geo files are looked for beside it. */
const ENGINE = 'engine/xray';

const APPS = Object.keys(PROGRAMS);

/** Installs what the build of both programs and of the engine's installer needs, and builds them. */
export const build = () =>
  prepare({
    packages: ['rampart', ...APPS.map((app) => `@rampart/${app}`), '@rampart/engine'],
    folders: [...APPS.map((app) => `apps/${app}`), 'tools/engine'],
    bundles: APPS,
  });

/**
 * Writes what a program needs at run time into a new folder: its bundle, the packages that stay outside of it, the licence, and
 * for the node the engine.
 */
export async function writeTree(app, target) {
  const folder = resolve(target);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new StepError(`${folder} is not empty.`);
  cpSync(bundleFolder(app), folder, { recursive: true, filter: (path) => basename(path) !== '.inputs' });
  copyExternalPackages(app, join(folder, 'node_modules'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  if (app === 'node') await addEngine(folder);
}

/** Installs the pinned engine as tools/engine does, copies its file, and notes where it came from. */
async function addEngine(folder) {
  const { installProgram } = await import('../../engine/dist/index.js');
  const { path, version, strategy } = await installProgram('xray');
  const target = join(folder, ENGINE);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(path, target, { dereference: true });
  const sum = createHash('sha256').update(readFileSync(target)).digest('hex');
  writeFileSync(`${target}.origin`, `xray ${version}, found by: ${strategy}, SHA-256 of the program: ${sum}\n`);
}
