import { createHash } from 'node:crypto';
import { allCells } from './all-cells.js';
import { type Cell, OUTLINE_CELL } from './cells/cell.js';
import { NO_MATERIAL } from './material.js';

/** `all`, or a regular expression for names of cells. An empty text selects about a tenth of them. */
const selector = process.env['RAMPART_MATRIX_CELLS'] ?? '';
const seed = process.env['RAMPART_MATRIX_SEED'] ?? '1';

/** Describes the selection in test titles. */
export const selection = selector === '' ? `a tenth of the cells, RAMPART_MATRIX_SEED=${seed}` : `${selector} cells`;
export const isComplete = selector === 'all';

export function selectCells(cells: readonly Cell[]): Cell[] {
  if (isComplete) return [...cells];
  if (selector === '') return sampleCells(cells, seed);
  const pattern = new RegExp(selector);
  return cells.filter(({ name }) => pattern.test(name));
}

/** The selected cells without material: tests are declared before the environment starts. */
export const selectedCells = selectCells(allCells(NO_MATERIAL));

/** About a tenth of the cells. The same seed selects the same cells. */
function sampleCells(cells: readonly Cell[], sampleSeed: string): Cell[] {
  return cells.filter(({ name }) => name === OUTLINE_CELL || isSampled(`${sampleSeed} ${name}`));
}

function isSampled(text: string): boolean {
  return (createHash('sha256').update(text).digest()[0] ?? 0) < 256 / 10;
}
