import { spawnSync } from 'node:child_process';

/** Compiles management, so that the benchmark measures the present sources. */
export function buildManagement() {
  const { status } = spawnSync('npx', ['tsc', '-b', 'apps/management'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('management does not compile');
}
