import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../quickstart/steps.mjs';
import { bundle } from './bundle.mjs';
import { bundleFolder } from './programs.mjs';
import { workspacePackages } from './workspace-packages.mjs';

/** Bundles a program unless its bundle was made from the same files by the same Node.js. */
export async function bundleIfChanged(app) {
  const stamp = join(bundleFolder(app), '.inputs');
  const inputs = digestOfInputs(app);
  if (read(stamp) === inputs) return;
  const begun = new Date();
  await bundle(app);
  writeFileSync(stamp, inputs);
  // What is compiled meanwhile is newer.
  utimesSync(stamp, begun, begun);
}

/** Digest of what decides about a bundle: the compiled files, by size and time, the versions of dependencies, and the bundler. */
function digestOfInputs(app) {
  const hash = createHash('sha256').update(process.version);
  const tools = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.spec.ts'));
  for (const path of ['pnpm-lock.yaml', ...tools.map((name) => `tools/bundle/src/${name}`)])
    hash.update(readFileSync(join(root, path)));
  for (const folder of workspacePackages(`apps/${app}`)) {
    hash.update(readFileSync(join(root, folder, 'package.json')));
    const dist = join(root, folder, 'dist');
    for (const file of readdirSync(dist, { recursive: true }).sort()) {
      if (!file.endsWith('.js')) continue;
      const { mtimeMs, size } = statSync(join(dist, file));
      hash.update(`${folder}/${file} ${mtimeMs} ${size}\n`);
    }
  }
  return hash.digest('hex');
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
