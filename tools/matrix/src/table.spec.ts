import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { allCells } from './all-cells.js';
import { NO_MATERIAL } from './material.js';
import { renderTable, TABLE_FILE } from './table.js';

describe('the table in the documentation', () => {
  it('docs/clients.md is the table of the matrix', async () => {
    expect(await readFile(TABLE_FILE, 'utf8')).toBe(renderTable());
  });

  it('the matrix has each cell once', () => {
    const names = allCells(NO_MATERIAL).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
