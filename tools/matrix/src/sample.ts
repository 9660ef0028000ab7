import { createHash } from 'node:crypto';
import type { Cell } from './cell.js';
import { ALWAYS_THERE } from './cells/always-there.js';

/** About one cell of ten, the same ones for the same seed. */
export function sampleOf(cells: readonly Cell[], seed: string): Cell[] {
  return cells.filter(({ name }) => name === ALWAYS_THERE || isDrawn(`${seed} ${name}`));
}

const isDrawn = (text: string): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) < 256 / 10;
