import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SOURCES = join(import.meta.dirname, '../../../apps/dashboard/src');
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('/gen/'))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8') }));

/** Texts that come with a page: each is a folder beside the texts that every page has. */
const PARTS = readdirSync(join(SOURCES, 'ui/i18n/locales'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('texts that come with a page', () => {
  it.each(PARTS)('texts of %s are used by the pages that load them alone', (part) => {
    const loadedWithThem = sources
      .flatMap(({ text }) => [...text.matchAll(new RegExp(`withTexts\\('${part}', import\\('([^']+)'\\)`, 'g'))])
      .map(([, path = '']) => path.replace(/^[./]+(?:features\/)?/, ''));
    expect(loadedWithThem).not.toEqual([]);
    const users = sources
      .filter(({ text }) => new RegExp(`['"\`]${part}\\.\\w`).test(text))
      .map(({ path }) => path)
      .filter((path) => !path.startsWith(`features/${part}/`) && !path.startsWith('ui/i18n/'))
      .filter((path) => !loadedWithThem.some((loaded) => path.replace(/\.tsx?$/, '').endsWith(loaded)));
    expect(users).toEqual([]);
  });
});
