import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nodeEmail, userIdOfNodeEmail } from './node-email.js';

describe('node e-mail', () => {
  it('the e-mail of a user on nodes starts with the id', () => {
    expect(nodeEmail(12, 'ali.reza')).toBe('12.ali.reza');
  });

  it('userIdOfNodeEmail returns the id of an e-mail', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.string(), (id, username) => {
        expect(userIdOfNodeEmail(nodeEmail(id, username))).toBe(id);
      }),
    );
  });

  it.each(['', 'ali', '12', '.ali', '012.ali', '-1.ali', '1e3.ali', '99999999999999999.ali'])(
    'userIdOfNodeEmail returns undefined for %j',
    (email) => {
      expect(userIdOfNodeEmail(email)).toBeUndefined();
    },
  );
});
