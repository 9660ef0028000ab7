import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Chunk {
  file: string;
  src?: string;
  imports?: string[];
  css?: string[];
  isEntry?: boolean;
}

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../../../apps/dashboard/dist');
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
const ENTRY = Object.keys(manifest).find((name) => /^_start-.*\.js$/.test(name)) ?? '';

/** The files that a chunk needs before it runs: itself, what it imports, and their styles. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`The build has no ${name}`);
  if (found.has(chunk.file)) return found;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const one of chunk.imports ?? []) filesOf(one, found);
  return found;
}

/** Kilobytes that a browser gets with gzip for these chunks, beyond those that it has. */
function kilobytes(names: string[], known: string[] = []): number {
  const has = new Set(known.flatMap((name) => [...filesOf(name)]));
  const files = new Set(names.flatMap((name) => [...filesOf(name)]));
  const sizes = [...files]
    .filter((file) => !has.has(file))
    .map((file) => readFileSync(join(dist, `${file}.gz`)).length);
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

describe('the size of the built dashboard', () => {
  it('the entry has at most 230 kB, and 260 kB with the first list of users', () => {
    expect(kilobytes([ENTRY])).toBeLessThan(230);
    const list = ['src/features/users/list/users-page.tsx', 'src/ui/i18n/locales/en.json'];
    expect(kilobytes([ENTRY, ...list])).toBeLessThan(260);
  });

  it('charts have at most 25 kB more, the editor 140 kB, and each language 15 kB', () => {
    const page = 'src/features/overview/overview-page.tsx';
    expect(kilobytes(['src/ui/chart/plot.tsx'], [ENTRY, page])).toBeLessThan(25);
    expect(kilobytes(['src/features/cores/json-editor.tsx'], [ENTRY])).toBeLessThan(140);
    for (const language of ['en', 'fa', 'ru', 'zh'])
      expect(kilobytes([`src/ui/i18n/locales/${language}.json`], [ENTRY])).toBeLessThan(15);
  });
});
