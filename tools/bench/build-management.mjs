import { spawnSync } from 'node:child_process';

/** Compiles management and other packages, so that the benchmark measures the present sources. */
export function buildManagement(...others) {
  const { status } = spawnSync('npx', ['tsc', '-b', 'apps/management', ...others], { stdio: 'inherit' });
  if (status !== 0) throw new Error('management does not compile');
}
