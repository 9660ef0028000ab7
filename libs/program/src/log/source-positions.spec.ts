import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withSourcePositions } from './source-positions.js';

/** Line 1, column 1 of the compiled file is line 3, column 5 of the source. */
const MAPPINGS = 'AAEI';

describe(withSourcePositions.name, () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rampart-positions-'));
    const write = (name: string, source: string) =>
      writeFileSync(
        join(folder, `${name}.map`),
        JSON.stringify({ version: 3, sources: [source], names: [], mappings: MAPPINGS }),
      );
    write('compiled.js', '../src/written.ts');
    write('main.bundle.cjs', 'libs/domain/src/written.ts');
    writeFileSync(join(folder, 'damaged.js.map'), '{');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('a position in a compiled file becomes that in its source, by path or by URL', () => {
    const file = join(folder, 'compiled.js');
    const source = join(folder, '../src/written.ts');
    expect(withSourcePositions(`Error: no\n    at one (${file}:1:1)\n    at ${pathToFileURL(file)}:1:1`)).toBe(
      `Error: no\n    at one (${source}:3:5)\n    at ${source}:3:5`,
    );
  });

  it('a source that a bundle names by its path in the repository keeps that name', () => {
    expect(withSourcePositions(`    at two (${join(folder, 'main.bundle.cjs')}:1:1)`)).toBe(
      '    at two (libs/domain/src/written.ts:3:5)',
    );
  });

  it('a position in a file without a map, with a damaged one, or in Node.js itself stays', () => {
    const text = `    at ${join(folder, 'other.js')}:1:1\n    at ${join(folder, 'damaged.js')}:1:1\n    at node:fs:448:20`;
    expect(withSourcePositions(text)).toBe(text);
  });
});
