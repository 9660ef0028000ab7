import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NameRows } from './name-rows.js';

describe(NameRows.name, () => {
  it('gives each name one row, in the order in which names are first seen', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 8 })), (names) => {
        const rows = new NameRows();
        const seen: string[] = [];
        for (const name of names) {
          const bytes = Buffer.from(`before ${name} after`);
          const row = rows.rowOf(bytes, 7, bytes.length - 6);
          if (!seen.includes(name)) seen.push(name);
          expect(row).toBe(seen.indexOf(name));
        }
      }),
    );
  });

  it('keeps the rows of 100,000 names, also those with the same hash', () => {
    const rows = new NameRows();
    const names = Array.from({ length: 100_000 }, (_, index) => Buffer.from(`user>>>${index}.user${index}`));
    for (const _ of ['first', 'second']) {
      const found = names.map((name) => rows.rowOf(name, 0, name.length));
      expect(found.every((row, index) => row === index)).toBe(true);
    }
    // These two have the same 32 bits of FNV-1a.
    const [one, other] = [Buffer.from('costarring'), Buffer.from('liquid')];
    expect([one, other, one].map((name) => rows.rowOf(name, 0, name.length))).toEqual([100_000, 100_001, 100_000]);
  });
});
