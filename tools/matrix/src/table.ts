import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programVersion } from '@rampart/testing';
import { COLUMNS, type Verdict } from './cell.js';
import { SECTIONS } from './cells/cells.js';
import { NO_MATERIAL } from './material.js';

/** The page that holds the table. */
export const TABLE_FILE = join(dirname(fileURLToPath(import.meta.url)), '../../../docs/clients.md');

const HEAD = `# What clients carry

Written by \`npm run matrix\`, when every cell of it passed. In each cell a node runs the inbound, management serves the
subscription, the client fetches it as it does, its own checker accepts the whole document, and 300 KB go up and 200 KB come
down through the proxy, with certificates verified. Xray ${programVersion('xray')}, sing-box ${programVersion('sing-box')} and
${programVersion('sing-box-1.11')}, mihomo ${programVersion('mihomo')} (which also runs the profiles for the first Clash, and reads share links by itself).

**✓** passes. A number: left out of this client's document, for the reason below. A number in brackets: written, because the
format is for every client or the operator asked for it, but this client does not connect. Clients draw a \`randomized\`
fingerprint when they start, and cannot connect with some draws: here they start until they have another one.
`;

/** The table in the documentation: all cells, and a reason for each one that does not pass. */
export function renderTable(): string {
  const reasons: string[] = [];
  const numberOf = (reason: string): number => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return reasons.indexOf(reason) + 1;
  };
  const mark = (verdict: Verdict): string => {
    if (verdict === 'passes') return '✓';
    return 'leftOut' in verdict ? String(numberOf(verdict.leftOut)) : `(${numberOf(verdict.written)})`;
  };
  const sections = Object.entries(SECTIONS).map(([title, cells]) => {
    const rows = cells(NO_MATERIAL).map(({ name, verdicts }) => [
      escaped(name),
      ...COLUMNS.map((column) => mark(verdicts[column])),
    ]);
    return `## ${title}\n\n${[['', ...COLUMNS], ['---', ...COLUMNS.map(() => ':-:')], ...rows].map(line).join('\n')}\n`;
  });
  const list = reasons.map((reason, at) => `${at + 1}. ${reason}`).join('\n');
  return [HEAD, ...sections, `## Reasons\n\n${list}\n`].join('\n');
}

const line = (columns: readonly string[]): string => `| ${columns.join(' | ')} |`;

const escaped = (name: string): string => name.replaceAll(/[|\\*_<[\]~]/g, '\\$&');
