import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Program } from '../programs.js';
import type { FoundProgram, InstallContext, Strategy } from '../strategy.js';
import { demandPinned } from '../version.js';

/**
 * Path of a program in the cache: `<cache>/engine/<executable>-<version>/<executable>`.
 * The node looks for its engine at the same path.
 */
export function cachedPath(program: Program, cacheFolder: string): string {
  return join(cacheFolder, 'engine', `${program.executable}-${program.version}`, program.executable);
}

export const cacheStrategy: Strategy = {
  name: 'cache',
  label: () => 'cache',
  async find(program, { env, cacheFolder }) {
    const path = cachedPath(program, cacheFolder);
    return { path, version: await demandPinned(program, path, env) };
  },
};

/**
 * Puts a program into the cache. `produce` writes it to the given temporary path. The program must report the pinned
 * version, and is then moved into place by one rename: concurrent installs do not collide, and a failed one leaves no files.
 */
export async function storeInCache(
  program: Program,
  { env, cacheFolder }: InstallContext,
  produce: (path: string) => Promise<void>,
): Promise<FoundProgram> {
  const path = cachedPath(program, cacheFolder);
  await mkdir(join(cacheFolder, 'engine'), { recursive: true });
  const temporaryFolder = await mkdtemp(join(cacheFolder, 'engine', `.${program.executable}-`));
  try {
    const fresh = join(temporaryFolder, program.executable);
    await produce(fresh);
    await chmod(fresh, 0o755);
    const version = await demandPinned(program, fresh, env);
    await mkdir(dirname(path), { recursive: true });
    await rename(fresh, path);
    return { path, version };
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}
