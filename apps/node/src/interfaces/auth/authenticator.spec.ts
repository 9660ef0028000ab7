import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createAuthenticator } from './authenticator.js';

const KEY = 'the-key-of-the-tests';

describe('authenticator', () => {
  const authenticate = createAuthenticator(KEY);
  const bearer = (key: string) => authenticate((name) => (name === 'authorization' ? `Bearer ${key}` : undefined));
  const plain = (key: string) => authenticate((name) => (name === 'x-api-key' ? key : undefined));

  it('the API key is accepted in both headers', () => {
    expect([bearer(KEY), plain(KEY), authenticate(() => undefined)]).toEqual([true, true, false]);
  });

  it('each of several API keys is accepted', () => {
    const either = createAuthenticator(KEY, 'the-key-before-this');
    const shown = (key: string) => either((name) => (name === 'x-api-key' ? key : undefined));
    expect([KEY, 'the-key-before-this', 'the-key-before-that'].map(shown)).toEqual([true, true, false]);
  });

  it('security row 4: keys of any length are compared without throwing, and only configured keys are accepted', () => {
    for (const key of ['', KEY.slice(1), `${KEY}x`, KEY.toUpperCase(), 'é'.repeat(10)]) {
      expect([bearer(key), plain(key)]).toEqual([false, false]);
    }
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (key) => plain(key) === (key === KEY)));
  });
});
