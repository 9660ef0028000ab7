import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sourcesBelow } from './sources.mjs';

const ROOT = join(import.meta.dirname, '../../..');

describe('docs/glossary.md', () => {
  it('names in code style only what a search in the sources finds', () => {
    const sources = sourcesBelow(ROOT).map((path) => readFileSync(join(ROOT, path), 'utf8'));
    const words = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []));
    const glossary = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
    const terms = [...glossary.matchAll(/`(\w+)`/g)].map(([, term = '']) => term);
    expect(terms.length).toBeGreaterThan(30);
    expect(terms.filter((term) => !words.has(term))).toEqual([]);
  });

  it('has its terms in alphabetical order', () => {
    const glossary = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
    const tables = glossary.split(/^## /m).slice(1);
    expect(tables).toHaveLength(2);
    for (const table of tables) {
      const terms = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, term = '']) => term).slice(2);
      expect(terms).toEqual([...terms].sort((a, b) => a.localeCompare(b, 'en')));
    }
  });
});
