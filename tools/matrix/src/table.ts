import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programVersion } from '@rampart/testing';
import { SECTIONS } from './all-cells.js';
import { COLUMNS, type Verdict } from './cells/cell.js';
import { NO_MATERIAL } from './material.js';

/** The page that holds the table. */
export const TABLE_FILE = join(dirname(fileURLToPath(import.meta.url)), '../../../docs/clients.md');

const HEAD = `# What clients carry

Written by \`npm run matrix\` after every cell has passed. For each cell, a node runs the inbound, management serves the
subscription, and the client fetches it. The client's own checker must accept the whole document, and 300 KB go up and 200 KB
come down through the proxy, with verified certificates. The versions are Xray ${programVersion('xray')}, sing-box
${programVersion('sing-box')} and ${programVersion('sing-box-1.11')}, and mihomo ${programVersion('mihomo')}, which also reads share links and the profiles for the first Clash.

**✓** means that the client connects. A number means that the client's document leaves the cell out, for the reason below. A
number in brackets means that the document contains the cell, because the format serves every client or the operator asked for
it, but that this client does not connect. A client with the \`randomized\` fingerprint selects one when it starts and cannot
connect with some of them; such clients are restarted until they connect.
`;

/** Renders docs/clients.md: all cells, and a reason for each one that does not pass. */
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
