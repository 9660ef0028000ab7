import type { Cell } from './cell.js';
import { allCells } from './cells/cells.js';
import { NO_MATERIAL } from './material.js';
import { sampleOf } from './sample.js';

/** `all`, or a pattern for names of cells; without it a tenth of them. */
const asked = process.env['RAMPART_MATRIX_CELLS'] ?? '';
const seed = process.env['RAMPART_MATRIX_SEED'] ?? '1';

/** How the run names its choice. */
export const choice = asked === '' ? `a tenth of the cells, RAMPART_MATRIX_SEED=${seed}` : `${asked} cells`;
export const isComplete = asked === 'all';

export function chosenOf(cells: readonly Cell[]): Cell[] {
  if (isComplete) return [...cells];
  if (asked === '') return sampleOf(cells, seed);
  const pattern = new RegExp(asked);
  return cells.filter(({ name }) => pattern.test(name));
}

/** Tests are declared by names, before there is anything that could serve. */
export const chosenCells = chosenOf(allCells(NO_MATERIAL));
