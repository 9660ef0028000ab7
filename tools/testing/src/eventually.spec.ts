import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { eventually, until } from './eventually.js';

describe(eventually.name, () => {
  it('returns the first value that is neither undefined nor false', async () => {
    const values = [undefined, false as const, 0];
    expect(await eventually('a value', () => values.shift())).toBe(0);
  });

  it('tells what the check saw last', async () => {
    let asked = 0;
    const check = eventually('it is the third', (saw) => saw({ asked: ++asked }).asked === -1, 30);
    await expect(check).rejects.toThrow(/^not within 30 ms: it is the third; it saw last: \{ asked: \d+ \}$/);
    expect(asked).toBeGreaterThan(1);
  });

  it('says nothing of what a check does not show', async () => {
    await expect(eventually('it runs', () => false, 0)).rejects.toThrow(/^not within 0 ms: it runs$/);
  });

  it.each([
    ['the end of a long text', `${'a'.repeat(3000)}end`, `… ${'a'.repeat(1997)}end`],
    ['the beginning of a long list', Array(300).fill(7), inspect(Array(300).fill(7), { maxArrayLength: 20 })],
    ['a short text in quotes', 'a\nb', "'a\\nb'"],
    ['nothing', undefined, 'undefined'],
  ])('shows %s', async (_, value, shown) => {
    const failure = await eventually('it is there', (saw) => saw(value) === null, 0).catch(({ message }) => message);
    expect(failure).toContain(`not within 0 ms: it is there; it saw last: ${shown}`);
    expect(failure.length).toBeLessThan(2100);
  });
});

describe(until.name, () => {
  it('fails with the source of the condition', async () => {
    await expect(until((saw) => saw(1) === (2 as number), 0)).rejects.toThrow(
      'not within 0 ms: (saw)=>saw(1) === 2; it saw last: 1',
    );
  });
});
