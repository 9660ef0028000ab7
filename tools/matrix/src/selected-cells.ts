import { createHash } from 'node:crypto';
import { type Cell, OUTLINE_CELL } from './cell.js';
import { allCells } from './cells/cells.js';
import { NO_MATERIAL } from './material.js';

/** `all`, or a pattern for names of cells; without it a tenth of them. */
const asked = process.env['RAMPART_MATRIX_CELLS'] ?? '';
const seed = process.env['RAMPART_MATRIX_SEED'] ?? '1';

/** How the run names its choice. */
export const choice = asked === '' ? `a tenth of the cells, RAMPART_MATRIX_SEED=${seed}` : `${asked} cells`;
export const isComplete = asked === 'all';

export function selectCells(cells: readonly Cell[]): Cell[] {
  if (isComplete) return [...cells];
  if (asked === '') return sampleCells(cells, seed);
  const pattern = new RegExp(asked);
  return cells.filter(({ name }) => pattern.test(name));
}

/** Tests are declared by names, before there is anything that could serve. */
export const selectedCells = selectCells(allCells(NO_MATERIAL));

/** About a tenth of the cells. The same seed selects the same cells. */
function sampleCells(cells: readonly Cell[], sampleSeed: string): Cell[] {
  return cells.filter(({ name }) => name === OUTLINE_CELL || isSampled(`${sampleSeed} ${name}`));
}

function isSampled(text: string): boolean {
  return (createHash('sha256').update(text).digest()[0] ?? 0) < 256 / 10;
}
