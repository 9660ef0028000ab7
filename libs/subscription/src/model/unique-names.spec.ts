import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { uniqueNames } from './unique-names.js';

it('uniqueNames appends a number to repeated names', () => {
  const names = ['a', 'a', 'b', 'a (2)', 'a', 'a (2)'];
  expect(names.map(uniqueNames())).toEqual(['a', 'a (2)', 'b', 'a (2) (2)', 'a (3)', 'a (2) (3)']);
});

it('uniqueNames never returns a name twice', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('', 'a', 'a (2)', 'a (2) (2)', 'b')), (names) => {
      expect(new Set(names.map(uniqueNames())).size).toBe(names.length);
    }),
  );
});
