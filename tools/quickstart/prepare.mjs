// Installs the dependencies and builds, for `npm start` and others. It runs before the installation, so no package is imported.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, StepError, step } from './steps.mjs';

const PNPM = 'pnpm@12.21.0';
/** Builds the dashboard into apps/dashboard/dist, from which management serves it, when its sources have changed. */
const DASHBOARD = 'apps/dashboard/build-if-changed.mjs';
const MIN_NODE_VERSION = [20, 19];

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1])) return;
  throw new StepError(
    `Rampart needs Node.js ${MIN_NODE_VERSION.join('.')} or newer; this is ${process.versions.node}. Install it from nodejs.org.`,
  );
}

/** Digest of everything that decides what is installed: the lock file and every manifest. */
function manifestDigest() {
  const hash = createHash('sha256').update(process.version);
  const manifests = ['apps', 'libs', 'tools'].flatMap((top) =>
    readdirSync(join(root, top)).map((name) => `${top}/${name}/package.json`),
  );
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests.sort()]) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Installs exactly what the lock file says, with the pinned pnpm; `args` select packages or kinds of dependencies. */
export const pnpmInstall = (args = [], options = {}) =>
  run('npm', ['exec', '--yes', `--package=${PNPM}`, '--', 'pnpm', 'install', '--frozen-lockfile', ...args], options);

/** Installs the dependencies if they have changed: those of every package, or with `packages` only what these need. */
async function dependencies(packages) {
  const stamp = join(root, 'node_modules/.rampart-installed');
  const digest = manifestDigest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  const filters = packages?.map((name) => `--filter=${name}...`);
  await step('Installing dependencies', () => pnpmInstall(filters));
  if (packages === undefined) writeFileSync(stamp, digest);
}

/**
 * Checks Node.js, installs the dependencies if they have changed, builds, and bundles the named programs. `packages` limits the
 * installation to packages, by name, with what they need, and `folders` limits the build.
 */
export async function prepare({ packages, folders = [], bundles = [] } = {}) {
  checkNode();
  await dependencies(packages);
  await step('Building', () => run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', ...folders]));
  const needsDashboard = packages === undefined || packages.includes('@rampart/management');
  if (needsDashboard) await step('Building the dashboard', () => run(process.execPath, [DASHBOARD]));
  if (bundles.length === 0) return;
  const { bundleIfChanged } = await import('../bundle/src/bundle-if-changed.mjs');
  await step('Bundling', async () => {
    for (const app of bundles) await bundleIfChanged(app);
  });
}
