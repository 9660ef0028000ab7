import { describe, expect, it } from '@jest/globals';
import { MAX_INT32 } from '@rampart/domain';
import fc from 'fast-check';
import { UserIds } from './user-ids.js';

const id = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: MAX_INT32 }), fc.constant(MAX_INT32));
const steps = fc.array(fc.tuple(fc.constantFrom('add', 'delete'), id));

function filled(changes: [string, number][]): { ids: UserIds; model: Set<number> } {
  const [ids, model] = [new UserIds(), new Set<number>()];
  for (const [what, one] of changes) {
    if (what === 'add') {
      ids.add(one);
      model.add(one);
    } else {
      ids.delete(one);
      model.delete(one);
    }
  }
  return { ids, model };
}

describe(UserIds.name, () => {
  it('holds what a set would hold', () => {
    fc.assert(
      fc.property(steps, fc.array(id), (changes, asked) => {
        const { ids, model } = filled(changes as [string, number][]);
        for (const one of [...asked, ...changes.map(([, changed]) => changed)])
          expect(ids.has(one)).toBe(model.has(one));
        expect(ids.size).toBe(model.size);
      }),
    );
  });

  it('adds another set, and a copy does not change with it', () => {
    fc.assert(
      fc.property(steps, steps, (one, other) => {
        const [first, second] = [filled(one as [string, number][]), filled(other as [string, number][])];
        const copy = first.ids.copy();
        first.ids.addAll(second.ids);
        for (const [, changed] of [...one, ...other]) {
          expect(copy.has(changed)).toBe(first.model.has(changed));
          expect(first.ids.has(changed)).toBe(first.model.has(changed) || second.model.has(changed));
        }
      }),
    );
  });
});
