import { expect, it, jest } from '@jest/globals';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import { PasswordHasher } from './password-hasher.js';

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
