import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { enginePath } from '@rampart/testing';
import { baseImageName } from './base-image.js';
import type { Podman } from './podman.js';

const run = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '../../../..');

/** Puts what is committed into a folder, as a fresh clone would have it. */
export async function cleanClone(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await run('git', ['archive', '--format=tar', `--output=${archive}`, 'HEAD'], { cwd: REPOSITORY });
  await run('tar', ['--extract', `--file=${archive}`, `--directory=${folder}`]);
  // Equal times of equal files, so that a build whose files are unchanged is found in podman's cache.
  await run('find', [folder, '-exec', 'touch', '--no-dereference', '--date=@0', '{}', '+']);
}

/** Runs `npm run images` in a clone, and returns what it printed. */
export async function buildImages(podman: Podman, clone: string): Promise<string> {
  // The build reaches the npm registry as this machine does, by its certificates and npm's global settings.
  const { stdout: config } = await run('npm', ['config', 'get', 'globalconfig'], { cwd: '/' });
  const mounts = ['/etc/ssl/certs:/etc/ssl/certs:ro'];
  if (await stat(config.trim()).catch(() => undefined)) mounts.push(`${config.trim()}:/usr/local/etc/npmrc:ro`);
  const args = ['--network', 'host', ...mounts.flatMap((mount) => ['--volume', mount])];
  args.push('--build-arg', `BASE=${await baseImageName()}`);
  // The engine that the tests have installed, since github.com need not be reachable.
  args.push('--build-context', `engine=${dirname(dirname(enginePath()))}`);
  const { stdout } = await run('npm', ['run', '--silent', 'images', '--', '--tool', 'podman', '--', ...args], {
    cwd: clone,
    env: podman.env,
    maxBuffer: 64 * 2 ** 20,
  });
  return stdout;
}
