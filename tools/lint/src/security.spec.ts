import { describe, expect, it } from '@jest/globals';
import { testsByRow, withTests } from './security.mjs';

// The titles are put together, so that no search for them finds this file.
const title = (row: number, text: string) => `security ${'row'} ${row}: ${text}`;
const page =
  '| # | Threat | Measure | Tests |\n|---|---|---|---|\n| 1 | guessing | a limit | stale |\n| 2 | theft | a lock | No test: not built yet. |\n';

describe('the table of threats', () => {
  it('names up to three tests of a row and counts the others', () => {
    const source = ['one', 'two | pipes', 'three', 'four', 'five'].map((text) => `it('${title(1, text)}', () => {});`);
    const { text, problems } = withTests(page, [source.join('\n')]);
    expect(problems).toEqual([]);
    expect(text.split('\n')[2]).toBe('| 1 | guessing | a limit | “one”, “two \\| pipes”, “three” and 2 more |');
    expect(text.split('\n')[3]).toBe('| 2 | theft | a lock | No test: not built yet. |');
  });

  it('is its own result, so that a second run changes nothing', () => {
    const sources = [`it("${title(1, 'a | b')}")`];
    const { text } = withTests(page, sources);
    expect(withTests(text, sources)).toEqual({ text, problems: [] });
  });

  it('threatTests finds titles at the end of a sentence, in templates and in double quotes', () => {
    const sources = [`describe("a page (security ${'row'} 18)")\nit.each(x)(\`${title(3, '%s ends')}\`)`];
    expect([...testsByRow(sources)]).toEqual([
      [18, [`a page (security ${'row'} 18)`]],
      [3, [title(3, '%s ends')]],
    ]);
  });

  it('reports a row without a test and without a reason, and a test of a row that does not exist', () => {
    const { problems } = withTests(page, [`it('${title(9, 'far')}')`]);
    expect(problems).toEqual([
      'SECURITY.md: row 1 has no test, and does not say why',
      'SECURITY.md has no row 9, which a test names in its title',
    ]);
  });
});
