import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DIST = resolve(import.meta.dirname, '../../../apps/dashboard/dist');
const FIRST_LIST = 'src/features/users/list/users-page.tsx';
const LANGUAGES = ['en', 'fa', 'ru', 'zh'].map((name) => `src/ui/i18n/locales/${name}.json`);

/** Returns rows of the table: what a browser gets, compressed with gzip. */
export function measureSizes() {
  const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'));
  const entry = Object.keys(manifest).find((name) => /^_start-.*\.js$/.test(name));
  const sizeOf = (names, known = []) => {
    const has = new Set(known.flatMap((name) => [...filesOf(manifest, name)]));
    const files = new Set(names.flatMap((name) => [...filesOf(manifest, name)]));
    const sizes = [...files]
      .filter((file) => !has.has(file))
      .map((file) => readFileSync(join(DIST, `${file}.gz`)).length);
    return sizes.reduce((sum, size) => sum + size, 0) / 1000;
  };
  const language = Math.max(...LANGUAGES.map((name) => sizeOf([name], [entry])));
  return [
    { what: 'entry', value: sizeOf([entry]), goal: 230 },
    { what: 'entry and the list of users', value: sizeOf([entry, FIRST_LIST, LANGUAGES[0]]), goal: 260 },
    { what: 'editor, beyond the entry', value: sizeOf(['src/features/cores/json-editor.tsx'], [entry]), goal: 140 },
    {
      what: 'charts, beyond the overview',
      value: sizeOf(['src/ui/chart/plot.tsx'], [entry, 'src/features/overview/overview-page.tsx']),
      goal: 25,
    },
    { what: 'largest language, beyond the entry', value: language, goal: 15 },
  ].map((row) => ({ ...row, unit: 'kB' }));
}

/** The files that a chunk needs before it runs: itself, what it imports, and their styles. */
function filesOf(manifest, name, found = new Set()) {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`The build has no ${name}`);
  if (found.has(chunk.file)) return found;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const one of chunk.imports ?? []) filesOf(manifest, one, found);
  return found;
}
