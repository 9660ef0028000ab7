import { describe, expect, it } from '@jest/globals';
import { isLoopback, isLoopbackUrl } from './loopback';

describe(isLoopback.name, () => {
  it.each([
    'localhost',
    'LocalHost',
    'api.localhost',
    '127.0.0.1',
    '127.1.2.3',
    '::1',
    '[::1]',
    '0.0.0.0',
    '::ffff:127.0.0.1',
  ])('is true for %s', (address) => expect(isLoopback(address)).toBe(true));

  it.each(['192.168.0.1', '10.127.0.1', '127.example.com', 'localhost.example.com', 'notlocalhost', '::2', '', '*'])(
    'is false for "%s"',
    (address) => expect(isLoopback(address)).toBe(false),
  );
});

describe(isLoopbackUrl.name, () => {
  it('looks at the host of a link, and at nothing that is no link', () => {
    const urls = [
      'http://127.0.0.1:8000/sub/x',
      'https://[::1]/sub/x',
      'https://[::ffff:127.0.0.1]/sub/x',
      'https://[::ffff:192.0.2.1]/sub/x',
      'https://example.com/127.0.0.1',
      '/sub/127.0.0.1',
      '',
    ];
    expect(urls.map(isLoopbackUrl)).toEqual([true, true, true, false, false, false, false]);
  });
});
