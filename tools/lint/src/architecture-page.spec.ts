import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const FILE = /`([\w./-]+\.ts)`/g;

/** The files that the paths of requests name, below the folder that stands before each part. */
function filesOnPaths(page: string): string[] {
  const [, paths = ''] = page.split('## Following a request\n');
  let folder = '';
  return paths.split('\n').flatMap((line) => {
    folder = /^(?:In|On) [^`]*\(?`([\w/-]+)`/.exec(line)?.[1] ?? folder;
    const named = [...line.matchAll(FILE)].map(([, file = '']) => file);
    return named.map((file) => (/^(apps|libs|tools)\//.test(file) ? file : `${folder}/${file}`));
  });
}

describe('docs/architecture.md', () => {
  it('names only files that exist on the paths of its four requests', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    expect(page.match(/^### /gm)).toHaveLength(4);
    const files = filesOnPaths(page);
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
