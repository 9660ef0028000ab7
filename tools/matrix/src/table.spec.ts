import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { allCells } from './cells/cells.js';
import { NO_MATERIAL } from './material.js';
import { renderTable, TABLE_FILE } from './table.js';

describe('the table in the documentation', () => {
  it('has the cells and the reasons of the matrix', async () => {
    expect(await readFile(TABLE_FILE, 'utf8')).toBe(renderTable());
  });

  it('has each cell once', () => {
    const names = allCells(NO_MATERIAL).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
