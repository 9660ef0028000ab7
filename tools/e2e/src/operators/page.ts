import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** docs/operators.md, whose commands the tests of this folder run. */
const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/operators.md'), 'utf8');

/** The text of each section by its heading. A section ends with the next heading of any level. */
const SECTIONS = new Map(
  PAGE.split(/^#{2,3} /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n') + 1)]),
);

/** The headings of all sections that have commands. */
export const sectionsWithCommands = (): string[] =>
  [...SECTIONS.keys()].filter((heading) => shellBlocks(heading).length > 0);

/** The `sh` blocks of a section in their order, those in lists included, without the indentation of the list. */
export function shellBlocks(heading: string): string[] {
  const section = SECTIONS.get(heading);
  if (section === undefined) throw new Error(`docs/operators.md has no section "${heading}"`);
  return [...section.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)].map(([, indentation = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  );
}

/**
 * The blocks of a section with texts replaced: what differs between the page and a test, such as addresses. Every text must be in
 * one of the blocks, so that the test runs what the page shows.
 */
export function commandsOf(heading: string, changes: Readonly<Record<string, string>> = {}): string[] {
  const blocks = shellBlocks(heading);
  for (const from of Object.keys(changes))
    if (!blocks.some((block) => block.includes(from)))
      throw new Error(`docs/operators.md, "${heading}": no command has "${from}"`);
  return blocks.map((block) => Object.entries(changes).reduce((code, [from, to]) => code.replaceAll(from, to), block));
}
