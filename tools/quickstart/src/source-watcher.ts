import { join, relative, sep } from 'node:path';
import { watch } from 'chokidar';

/** Changes that come together, as when a branch is switched, are one. */
const TOGETHER_MS = 20;

/**
 * Calls back with the paths of the sources of apps and libraries that have changed, were added or deleted, one call at a time.
 * Resolves when changes are noticed, to the function that ends that.
 */
export async function watchSources(
  root: string,
  onChange: (paths: readonly string[]) => Promise<void>,
): Promise<() => Promise<void>> {
  const changed = new Set<string>();
  let working = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const work = () => {
    working = working.then(async () => {
      const paths = [...changed];
      changed.clear();
      if (paths.length > 0) await onChange(paths);
    });
  };
  const files = watch(
    ['apps', 'libs'].map((folder) => join(root, folder)),
    { ignoreInitial: true, ignored: (path, stats) => !isSource(relative(root, path), stats?.isFile() === true) },
  );
  files.on('all', (_event, path) => {
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(work, TOGETHER_MS);
  });
  await new Promise<void>((resolve) => files.once('ready', resolve));
  return async () => {
    clearTimeout(timer);
    await files.close();
    await working;
  };
}

/** True for folders on the way to the sources, and for source files that are no tests. */
function isSource(path: string, isFile: boolean): boolean {
  const [, name, folder] = path.split(sep);
  if (name === undefined || folder === undefined) return true;
  if (folder !== 'src') return false;
  return !isFile || (path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.endsWith('.d.ts'));
}
