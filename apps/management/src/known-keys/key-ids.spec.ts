import { describe, expect, it } from '@jest/globals';
import { compareKeys, type KnownKeys, storedKeyId } from './key-ids.js';

const known = (newest: string | undefined, ...older: string[]): KnownKeys => ({ newest, older });

describe(compareKeys.name, () => {
  it.each([
    ['the first replica of a database', known(undefined), 'A', undefined, known('A')],
    ['a replica with the same key', known('A'), 'A', undefined, known('A')],
    ['a replica that is told of the next key before it is used', known('A'), 'A', 'B', known('A')],
    ['the first replica with a new key', known('A'), 'B', 'A', known('B', 'A')],
    ['the next replica with the new key', known('B', 'A'), 'B', 'A', known('B', 'A')],
    ['a replica with the old key that knows the new one', known('B', 'A'), 'A', 'B', known('B', 'A')],
    ['the first replica without the old key', known('B', 'A'), 'B', undefined, known('B')],
    ['a new rotation, which ends the one before', known('B', 'A'), 'C', 'B', known('C', 'B')],
  ])('accepts %s', (_, before, current, previous, after) => {
    expect(compareKeys(before, { current, previous })).toEqual({ known: after, isBehind: false });
  });

  it.each([
    ['the old key alone during a rotation', known('B', 'A'), 'A', undefined],
    ['the old key and a third during a rotation', known('B', 'A'), 'A', 'C'],
  ])('accepts a replica with %s as one that is behind', (_, before, current, previous) => {
    expect(compareKeys(before, { current, previous })).toEqual({ known: before, isBehind: true });
  });

  it.each([
    ['another key', known('A'), 'B', undefined],
    ['two other keys', known('A'), 'B', 'C'],
    ['a key whose rotation is over', known('B'), 'A', undefined],
    ['a key whose rotation is over, even when it knows the new one', known('B'), 'A', 'C'],
    ['a new key and one that is not the newest', known('B', 'A'), 'C', 'A'],
  ])('refuses a replica with %s', (_, before, current, previous) => {
    expect(compareKeys(before, { current, previous })).toEqual({ known: undefined, isBehind: false });
  });

  it('accepts the old key again when the new one is its previous key', () => {
    expect(compareKeys(known('B'), { current: 'A', previous: 'B' }).known).toEqual(known('A', 'B'));
  });
});

describe(storedKeyId.name, () => {
  it('differs for each key and each kind, and has 32 hexadecimal digits', () => {
    const key = Buffer.alloc(32, 1);
    expect(storedKeyId('jwt', key)).toMatch(/^[0-9a-f]{32}$/);
    const ids = [storedKeyId('jwt', key), storedKeyId('atRest', key), storedKeyId('jwt', Buffer.alloc(32, 2))];
    expect(new Set(ids).size).toBe(3);
    expect(ids.join()).not.toContain(key.toString('hex').slice(0, 8));
  });
});
