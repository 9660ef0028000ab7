import { describe, expect, it } from '@jest/globals';
import { subscriptionHeaders } from './subscription-headers.js';

const headersOf = (username: string) =>
  subscriptionHeaders(
    { username, usedTraffic: 1, dataLimit: 2, expire: new Date(3_999) },
    'https://panel.example/sub/x',
  );

describe('subscriptionHeaders', () => {
  it('tells traffic and end in whole seconds', () => {
    expect(headersOf('alice')['subscription-userinfo']).toBe('upload=0; download=1; total=2; expire=3');
  });

  it.each([
    ['alice.1@x_y-z', 'attachment; filename="alice.1@x_y-z"'],
    ['Алиса', "attachment; filename*=UTF-8''%D0%90%D0%BB%D0%B8%D1%81%D0%B0"],
    [`a"b\r\nc'(*)`, "attachment; filename*=UTF-8''a%22b%0D%0Ac%27%28%2A%29"],
  ])('names the file of %j in plain characters', (username, header) => {
    expect(headersOf(username)['content-disposition']).toBe(header);
  });
});
