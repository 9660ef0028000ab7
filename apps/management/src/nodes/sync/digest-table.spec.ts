import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DigestTable } from './digest-table.js';

describe(DigestTable.name, () => {
  it('holds what a map would hold', () => {
    const digest = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const step = fc.tuple(fc.integer({ min: 1, max: 200 }), fc.option(digest));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 500 }), (steps) => {
        const [table, model] = [new DigestTable(), new Map<number, Uint8Array>()];
        for (const [id, value] of steps) {
          if (value === null) {
            table.delete(id);
            model.delete(id);
          } else {
            table.set(id, value);
            model.set(id, value);
          }
        }
        expect(table.size).toBe(model.size);
        for (const [id] of steps) expect(table.get(id)).toEqual(model.get(id));
      }),
    );
  });
});
