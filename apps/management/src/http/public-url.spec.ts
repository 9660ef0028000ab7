import { describe, expect, it } from '@jest/globals';
import { publicUrlWarning } from './public-url.js';

describe(publicUrlWarning.name, () => {
  it.each(['http://127.0.0.1:8000', 'http://127.8.0.1', 'https://localhost', 'http://[::1]:8000'])(
    'tells that clients cannot reach %s, and what to set',
    (url) => {
      expect(publicUrlWarning(url)).toBe(
        `Subscription URLs begin with ${url}, which only this machine can reach: RAMPART_PUBLIC_URL has to be the address that clients use`,
      );
    },
  );

  it.each(['http://192.0.2.1:8000', 'https://panel.example', 'https://127.example', 'http://[2001:db8::1]'])(
    'says nothing of %s',
    (url) => {
      expect(publicUrlWarning(url)).toBeUndefined();
    },
  );
});
