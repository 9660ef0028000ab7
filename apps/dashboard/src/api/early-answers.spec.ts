import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { askEarly, takeEarly } from './early-answers';

const asked: { url: string; init: unknown }[] = [];
let answer: Promise<Response>;

beforeEach(() => {
  asked.length = 0;
  answer = Promise.resolve({} as Response);
  const fetch = (url: URL, init: unknown) => {
    asked.push({ url: url.href, init });
    return answer;
  };
  Object.assign(globalThis, { fetch });
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const request = (path: string, method = 'GET') => ({ method, url: `http://localhost${path}` }) as Request;

describe(askEarly.name, () => {
  it('an early answer is taken by the first request with the same parameters in any order, and by no other', () => {
    askEarly('/api/users', { search: 'a b', sort: '-expire', fields: ['id', 'note'] });
    expect(asked).toEqual([
      {
        url: 'http://localhost/api/users?search=a+b&sort=-expire&fields=id&fields=note',
        init: { headers: { 'x-rampart-dashboard': '1' }, credentials: 'same-origin' },
      },
    ]);
    const same = '/api/users?fields=id&fields=note&sort=-expire&search=a%20b';
    expect(takeEarly(request('/api/users'))).toBeUndefined();
    expect(takeEarly(request('/api/users?fields=note&fields=id&sort=-expire&search=a%20b'))).toBeUndefined();
    expect(takeEarly(request(same, 'DELETE'))).toBeUndefined();
    expect(takeEarly(request(same))).toBe(answer);
    expect(takeEarly(request(same))).toBeUndefined();
  });

  it('an early answer that nobody has taken is forgotten after ten seconds', () => {
    askEarly('/api/admin');
    jest.advanceTimersByTime(9_999);
    askEarly('/api/users');
    jest.advanceTimersByTime(1);
    expect(takeEarly(request('/api/admin'))).toBeUndefined();
    expect(takeEarly(request('/api/users'))).toBe(answer);
  });

  it('an early answer that fails is told where it is taken', async () => {
    answer = Promise.reject(new TypeError('Failed to fetch'));
    askEarly('/api/admin');
    await expect(takeEarly(request('/api/admin'))).rejects.toThrow('Failed to fetch');
  });
});
