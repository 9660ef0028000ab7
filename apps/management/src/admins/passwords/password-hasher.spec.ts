import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import { missingCosts, PasswordHasher } from './password-hasher.js';

it('PasswordHasher hashes one password at a time, however many arrive at once', async () => {
  const take = jest.spyOn(KeyedMutex.prototype, 'run');
  const passwords = new PasswordHasher();
  const stored = await passwords.hash('correct horse battery');
  const answers = await Promise.all([
    passwords.verify(stored, 'correct horse battery'),
    passwords.verify(stored, 'wrong horse battery'),
    passwords.verify(undefined, 'correct horse battery'),
  ]);
  expect(answers).toEqual([true, false, false]);
  expect(take.mock.calls.map(([key]) => key)).toEqual(['hash', 'hash', 'hash', 'hash']);
  take.mockRestore();
});

describe(missingCosts.name, () => {
  it('security row 1: makes every verification as much work as the dearest bcrypt hash of any admin', () => {
    const work = (cost: number) => 2 ** cost;
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 31 }), fc.integer({ min: 4, max: 31 }), (own, wanted) => {
        const hash = `$2b$${String(own).padStart(2, '0')}$${'x'.repeat(53)}`;
        const sum = missingCosts(hash, wanted).reduce((all, cost) => all + work(cost), work(own));
        return sum === work(Math.max(own, wanted));
      }),
    );
    expect(missingCosts(undefined, 12)).toEqual([12]);
    expect(missingCosts(undefined, undefined)).toEqual([]);
  });
});
