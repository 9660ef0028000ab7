import { describe, expect, it } from '@jest/globals';
import { type DeepPartial, User } from '../gen/service.js';
import { completeUser, toUint64 } from './complete-user.js';

/** Passes a value as JavaScript would, without its type. */
const given = (user: unknown): DeepPartial<User> => user as DeepPartial<User>;

describe(completeUser.name, () => {
  it('adds missing fields at every depth', () => {
    const user = { email: '1.ann', proxies: { vless: { id: 'x' }, wireguard: {} }, inbounds: ['in'] };
    expect(completeUser(user)).toEqual(User.fromPartial(user));
    expect(completeUser({})).toEqual({ email: '', proxies: undefined, inbounds: [], revision: 0n });
  });

  it('returns a complete user unchanged', () => {
    const user = User.fromPartial({ email: '1.ann', proxies: { trojan: { password: 'p' } }, inbounds: ['in'] });
    expect(completeUser(user)).toBe(user);
  });

  it.each([
    [7, 7n],
    ['18446744073709551615', 2n ** 64n - 1n],
    [9n, 9n],
  ])('takes the revision %p', (revision, expected) => {
    expect(completeUser({ email: '1.ann', revision }).revision).toBe(expected);
  });

  it.each([
    [null, 'a user must be an object'],
    [{ email: 7 }, 'email of a user must be a text'],
    [{ email: '1.ann', inbounds: 'in' }, 'inbounds of user "1.ann" must be a list of texts'],
    [{ email: '1.ann', inbounds: [7] }, 'inbounds of user "1.ann" must be a list of texts'],
    [{ email: '1.ann', revision: -1 }, 'revision of user "1.ann" must be an integer from 0 to 2^64 - 1'],
    [{ email: '1.ann', revision: 0.5 }, 'revision of user "1.ann" must be an integer from 0 to 2^64 - 1'],
    [{ email: '1.ann', revision: 'x' }, 'revision of user "1.ann" must be an integer from 0 to 2^64 - 1'],
    [{ email: '1.ann', revision: 2n ** 64n }, 'revision of user "1.ann" must be an integer from 0 to 2^64 - 1'],
    [{ email: '1.ann', proxies: 'x' }, 'proxies of user "1.ann" must be an object'],
    [{ email: '1.ann', proxies: { vless: 'x' } }, 'vless of user "1.ann" must be an object'],
    [{ email: '1.ann', proxies: { vless: { id: 7 } } }, 'vless.id of user "1.ann" must be a text'],
    [
      { email: '1.ann', proxies: { wireguard: { peerIps: [7] } } },
      'wireguard.peerIps of user "1.ann" must be a list of texts',
    ],
  ])('refuses %j and names the field', (user, message) => {
    const failure = expect.objectContaining({ code: 'INVALID_ARGUMENT', message, retryable: false });
    expect(() => completeUser(given(user))).toThrow(failure);
  });
});

describe(toUint64.name, () => {
  it.each([[true], [null], [Number.NaN], [Number.MAX_SAFE_INTEGER + 1], ['']])('refuses %p', (value) => {
    expect(() => toUint64(value as number, 'revision')).toThrow('revision must be an integer from 0 to 2^64 - 1');
  });
});
