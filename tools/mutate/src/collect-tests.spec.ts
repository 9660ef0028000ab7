import { describe, expect, it } from '@jest/globals';
import { collectTests } from './collect-tests.mjs';

interface Globals {
  describe: typeof describe;
  expect: typeof expect;
  it: typeof it;
}

describe(collectTests.name, () => {
  it('names the tests as jest does, and runs none of them', async () => {
    function sum() {}
    const tests = collectTests((globals: Globals) => {
      globals.describe(sum, () => {
        globals.it.each([[1, 2, 3]])('adds %d and %d', (one, two, three) => globals.expect(one + two).toBe(three));
        globals.describe.each(['a'])('of %s', () => globals.it('fails', () => globals.expect(1).toBe(2)));
      });
      globals.it('stands alone', () => undefined);
    });
    expect(tests.map(({ id }: { id: string }) => id)).toEqual(['sum adds 1 and 2', 'sum of a fails', 'stands alone']);
    expect(tests[0].body()).toBeUndefined();
    expect(() => tests[1].body()).toThrow('expect(received).toBe(expected)');
  });
});
