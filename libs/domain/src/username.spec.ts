import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { USERNAME_SCHEMA, usernameProblem } from './username.js';

const LENGTH = 'Username must be 3-128 characters';
const CHARACTERS = 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .';
const CONSECUTIVE = 'Username cannot have consecutive special characters';

describe(usernameProblem, () => {
  it.each(['abc', 'A9z', 'ali_reza.k', 'me@home', '-ab', 'ab.', 'a'.repeat(128)])(
    'usernameProblem accepts %s',
    (name) => {
      expect(usernameProblem(name)).toBeUndefined();
    },
  );

  it.each([
    ['', LENGTH],
    ['ab', LENGTH],
    ['a'.repeat(129), LENGTH],
    ['a b', CHARACTERS],
    ['abc\n', CHARACTERS],
    ['علی', CHARACTERS],
    ['a/b', CHARACTERS],
    ['a--b', CONSECUTIVE],
    ['a_.b', CONSECUTIVE],
    ['ab@@', CONSECUTIVE],
  ])('usernameProblem refuses %j', (name, problem) => {
    expect(usernameProblem(name)).toBe(problem);
  });

  it('USERNAME_SCHEMA accepts the same names as usernameProblem', () => {
    const { minLength, maxLength, pattern } = USERNAME_SCHEMA;
    const isInSchema = (name: string) =>
      name.length >= minLength && name.length <= maxLength && new RegExp(pattern, 'u').test(name);
    const unit = fc.constantFrom('-', '_', '@', '.', 'a', 'Z', '0', ' ', '\n');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (name) => {
        expect([name, isInSchema(name)]).toEqual([name, usernameProblem(name) === undefined]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('usernameProblem accepts every name of allowed characters with single specials between them', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9]{1,10}$/);
    const special = fc.constantFrom('-', '_', '@', '.');
    fc.assert(
      fc.property(word, fc.array(fc.tuple(special, word), { minLength: 1, maxLength: 5 }), (first, rest) => {
        const name = first + rest.flat().join('');
        fc.pre(name.length >= 3);
        expect(usernameProblem(name)).toBeUndefined();
      }),
    );
  });
});
