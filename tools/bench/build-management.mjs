import { spawnSync } from 'node:child_process';

/** What is measured is what the sources say. */
export function buildManagement() {
  const { status } = spawnSync('npx', ['tsc', '-b', 'apps/management'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('management does not compile');
}
