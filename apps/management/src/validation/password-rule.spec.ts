import { describe, expect, it } from '@jest/globals';
import { dictionary } from '@zxcvbn-ts/language-common';
import fc from 'fast-check';
import { passwordProblem } from './password-rule.js';

const EASY = 'Password must not be a common one, nor made of names, repetitions or sequences';

describe('security row 50: passwordProblem', () => {
  it.each([
    'aaaaaaaaaaaa',
    '123456789012',
    'passwordpassword',
    'Password1234',
    'P@ssw0rd1234',
    'qwertyuiop12',
    '1q2w3e4r5t6y',
    'abcdefghijkl',
    'letmein12345',
    'x'.repeat(1024),
  ])('passwordProblem refuses %s, which is tried first', (password) => {
    expect(passwordProblem(password, 'root')).toBe(EASY);
  });

  it('passwordProblem refuses the ten thousand commonest passwords, in any case, and longer ones that repeat them', () => {
    const known = dictionary['passwords-common'];
    expect(known.length).toBeGreaterThan(10_000);
    // Each check takes milliseconds, so some of them stand for all.
    const commonest = known.slice(0, 10_000).filter((_, index) => index % 50 === 0);
    const longOnes = known.filter((password) => password.length >= 12).filter((_, index) => index % 5 === 0);
    const twelve = (password: string) => password.repeat(Math.ceil(12 / password.length));
    const accepted = [...commonest.map(twelve), ...longOnes.map((one) => one.toUpperCase())].filter(
      (password) => passwordProblem(password, '') === undefined,
    );
    expect(accepted).toEqual([]);
  });

  it('passwordProblem refuses the name of the admin with a little around it', () => {
    expect(passwordProblem('harold-finch', 'harold-finch')).toBe('Password must not be the username');
    for (const password of ['harold-finch1', 'Harold-Finch!', 'harold-finch2026'])
      expect([password, passwordProblem(password, 'harold-finch')]).toEqual([password, EASY]);
  });

  it('passwordProblem accepts what is hard to guess', () => {
    for (const password of ['correct horse battery', 'kqzjvhxwpmtr', 'not this one', '日本語の長い合言葉は安全です'])
      expect([password, passwordProblem(password, 'root')]).toEqual([password, undefined]);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 35 }), { minLength: 16, maxLength: 16 }),
        fc.array(fc.nat({ max: 9 }), { minLength: 8, maxLength: 8 }),
        (letters, digits) => {
          const text = [...letters, ...digits].map((one) => one.toString(36)).join('');
          return new Set(text).size < 12 || passwordProblem(text, 'root') === undefined;
        },
      ),
    );
  });
});
