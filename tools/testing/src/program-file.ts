import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The entries of an app, with the files that the compiler writes for them. */
const COMPILED = { main: 'main.js', rampart: 'cli/rampart.js' };

const found = new Map<string, string>();

/**
 * The file that runs a program: its bundle, as operators run it and which starts in a fifth of the time, or what the compiler
 * wrote where that is newer.
 */
export function programFile(app: 'management' | 'node', entry: keyof typeof COMPILED = 'main'): string {
  const known = found.get(`${app} ${entry}`);
  if (known !== undefined) return known;
  const dist = join(ROOT, 'apps', app, 'dist');
  const file = join(dist, isBundled(dist) ? `bundle/${entry}.cjs` : COMPILED[entry]);
  found.set(`${app} ${entry}`, file);
  return file;
}

/** Whether the bundle was begun after everything was compiled. */
function isBundled(dist: string): boolean {
  const stamp = join(dist, 'bundle/.inputs');
  if (!existsSync(stamp)) return false;
  const begun = statSync(stamp).mtimeMs;
  const libraries = readdirSync(join(ROOT, 'libs')).map((name) => join(ROOT, 'libs', name, 'dist'));
  return [dist, ...libraries].filter(existsSync).every((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.js'))
      .every((path) => statSync(join(folder, path)).mtimeMs < begun),
  );
}
