// The table of threats in SECURITY.md: its last column names the tests of each row by their titles ("security row 3: …").
import { testTitles } from './test-titles.mjs';

/** Row number → titles of its tests with those of the groups around them, in the order of the sources. */
export function testsByRow(sources) {
  const rows = new Map();
  for (const source of sources) {
    if (!source.includes('security row')) continue;
    for (const { own, full } of testTitles(source)) {
      const [, row] = /security row (\d+)\b/.exec(own) ?? [];
      if (row !== undefined) rows.set(Number(row), [...(rows.get(Number(row)) ?? []), full]);
    }
  }
  return rows;
}

/** A title as the table shows it: without the number of the row, and without what would end a cell. */
const shown = (title) =>
  title
    .replaceAll(/\s*\(?security row \d+\)?:?(?=\s|$)/g, '')
    .replaceAll('|', '\\|')
    .trim();

/** How many tests of a row the table names; the others are counted. */
const MAX_TESTS_SHOWN = 3;

function cell(titles) {
  const names = titles.slice(0, MAX_TESTS_SHOWN).map((title) => `“${shown(title)}”`);
  const more = titles.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * The text of SECURITY.md with the test column filled in. A row keeps what stands there where it has no tests, which must
 * then say why; `problems` lists rows that have neither, and tests of rows that are not in the table.
 */
export function withTests(markdown, sources) {
  const rows = testsByRow(sources);
  const seen = new Set();
  const problems = [];
  const text = markdown.replace(
    /^\| (\d+) \| ([^|\n]*) \| ([^|\n]*) \|(.*)\|$/gm,
    (line, number, threat, measure, tests) => {
      const titles = rows.get(Number(number));
      seen.add(Number(number));
      if (titles !== undefined) return `| ${number} | ${threat} | ${measure} | ${cell(titles)} |`;
      if (!tests.startsWith(' No test: '))
        problems.push(`SECURITY.md: row ${number} has no test, and does not say why`);
      return line;
    },
  );
  for (const row of rows.keys())
    if (!seen.has(row)) problems.push(`SECURITY.md has no row ${row}, which a test names in its title`);
  return { text, problems };
}
