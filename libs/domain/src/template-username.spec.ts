import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { numberedUsernames, randomUsernames, templateUsername } from './template-username.js';

/** A source that gives these bytes one after the other, again and again. */
const source = (bytes: readonly number[]) => {
  let next = 0;
  return (count: number) => Uint8Array.from({ length: count }, () => bytes[next++ % bytes.length] ?? 0);
};

describe(templateUsername, () => {
  it.each([
    ['vip_', '.x', 'vip_ali.x'],
    ['vip_', null, 'vip_ali'],
    [null, '.x', 'ali.x'],
    [null, null, 'ali'],
    ['', '', 'ali'],
  ])('templateUsername puts %j and %j around the name', (usernamePrefix, usernameSuffix, expected) => {
    expect(templateUsername({ usernamePrefix, usernameSuffix }, 'ali')).toBe(expected);
  });
});

describe(numberedUsernames, () => {
  it.each([
    ['ali', 1, ['ali1', 'ali2', 'ali3']],
    ['ali', 0, ['ali0', 'ali1', 'ali2']],
    ['ali99', 8, ['ali8', 'ali9', 'ali10']],
    ['a1li_007', 1, ['a1li_1', 'a1li_2', 'a1li_3']],
    ['123', 5, ['5', '6', '7']],
  ])('numberedUsernames counts the base %s from %d on', (base, first, expected) => {
    expect(numberedUsernames(base, first, 3)).toEqual(expected);
  });

  it('numberedUsernames returns the requested number of different names for any base', () => {
    const stem = fc.stringMatching(/^[a-z]{1,5}$/);
    fc.assert(
      fc.property(
        stem,
        fc.stringMatching(/^\d{0,9}$/),
        fc.nat(),
        fc.integer({ min: 1, max: 500 }),
        (base, digits, first, count) => {
          const names = numberedUsernames(base + digits, first, count);
          expect(new Set(names).size).toBe(count);
          expect([names[0], names.at(-1)]).toEqual([`${base}${first}`, `${base}${first + count - 1}`]);
        },
      ),
    );
  });
});

describe(randomUsernames, () => {
  it('randomUsernames maps bytes to letters and digits without a bias', () => {
    expect(randomUsernames(2, source([0, 25, 26, 35, 36, 252, 255, 251, 1, 2, 3, 4]))).toEqual(['AZ09A', '9BCDE']);
  });

  it('randomUsernames replaces a duplicate name', () => {
    expect(randomUsernames(2, source([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]))).toEqual(['AAAAA', 'BBBBB']);
  });

  it('randomUsernames returns different names of five characters', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), fc.infiniteStream(fc.nat(255)), (count, stream) => {
        const names = randomUsernames(count, (bytes) => Uint8Array.from(stream.take(bytes)));
        expect(new Set(names).size).toBe(count);
        for (const name of names) expect(name).toMatch(/^[A-Z0-9]{5}$/);
      }),
    );
  });
});
