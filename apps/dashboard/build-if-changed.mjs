// Builds the dashboard into dist/ when its sources, its dependencies or its configuration have changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const stamp = join(folder, 'dist/.inputs');
const OTHERS = [
  'build-if-changed.mjs',
  ...['index.html', 'package.json', 'postcss.config.mjs', 'vite.config.ts', '../../pnpm-lock.yaml'],
];

const filesBelow = (name) =>
  readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.spec\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

function digest() {
  const hash = createHash('sha256');
  for (const path of [...filesBelow('src'), ...filesBelow('public'), ...OTHERS.map((name) => join(folder, name))])
    hash.update(path.slice(folder.length)).update(readFileSync(path));
  return hash.digest('hex');
}

const now = digest();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== now) {
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: folder,
    stdio: 'inherit',
    // Tests start programs with another value, which would make React's development build.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, now);
}
