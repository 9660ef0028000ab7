// Installs the dependencies and builds, for `npm start` and others. It runs before the installation: only node: imports.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const PNPM = 'pnpm@12.21.0';
/** Builds the dashboard into apps/dashboard/dist, from which management serves it, when its sources have changed. */
const DASHBOARD = 'apps/dashboard/build-if-changed.mjs';
const MIN_NODE_VERSION = [20, 19];

/** An error that the operator can act on; it is shown without a stack trace. */
export class StepError extends Error {
  isOperatorError = true;
}

/** Runs a program; its output is shown only if it fails, or always with `show`. */
export function run(command, args, { env = {}, show = false, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    });
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new StepError(
            `${Buffer.concat(output)}\n${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}`.trim(),
          ),
        );
    });
  });
}

/** Prints the name of a step, runs it, and prints how long it took. */
export async function step(name, work) {
  const since = performance.now();
  process.stdout.write(`› ${name} …\n`);
  await work();
  process.stdout.write(`✓ ${name} (${((performance.now() - since) / 1000).toFixed(1)} s)\n`);
}

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
 * Checks Node.js, installs the dependencies if they have changed, builds, the dashboard of management too, and bundles the named programs. `packages` limits the
 * installation to packages, by name, with what they need, and `folders` the build.
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

/** Runs the main part of a command. An expected error is printed as a message without a stack trace. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(error?.isOperatorError ? `\n✗ ${error.message}` : error);
    process.exit(1);
  }
}
