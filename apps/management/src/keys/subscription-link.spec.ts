import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { MAX_INT32 } from '@rampart/domain';
import fc from 'fast-check';
import { SubscriptionLink } from './subscription-link.js';

const KEY = Buffer.alloc(32, 1);
const link = new SubscriptionLink(KEY, 'https://panel.example/prefix');

describe(SubscriptionLink.name, () => {
  it('puts the token into the URL', () => {
    const mac = createHmac('sha256', KEY).update('djEuNy4y').digest('base64url');
    expect(link.urlOf({ userId: 7, generation: 2 })).toBe(`https://panel.example/prefix/sub/djEuNy4y.${mac}`);
  });

  it('verifies its own tokens, and none of another key', () => {
    const other = new SubscriptionLink(Buffer.alloc(32, 2), '');
    const id = fc.integer({ min: 1, max: MAX_INT32 });
    fc.assert(
      fc.property(id, fc.nat(), (userId, generation) => {
        const subject = { userId, generation };
        const token = link.token(subject);
        expect(link.readToken(token)).toEqual({ ...subject, token });
        expect(other.readToken(token)).toBeUndefined();
      }),
    );
  });

  it('security row 4: no other text of any length is read as a token', () => {
    const token = link.token({ userId: 7, generation: 2 });
    fc.assert(fc.property(fc.string(), (text) => expect(link.readToken(text)).toBeUndefined()));
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, letter) => {
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        if (changed !== token) expect(link.readToken(changed)).toBeUndefined();
      }),
    );
  });

  it.each(['v2.7.2', 'v1.07.2', 'v1.7', 'v1.7.2.1', 'v1.0.0', 'v1.9999999999.0', ''])(
    'refuses a signed token of %j',
    (text) => {
      const payload = Buffer.from(text).toString('base64url');
      expect(
        link.readToken(`${payload}.${createHmac('sha256', KEY).update(payload).digest('base64url')}`),
      ).toBeUndefined();
    },
  );

  it('verifies tokens of the previous key, and signs with the current one', () => {
    const rotated = new SubscriptionLink(Buffer.alloc(32, 2), '', KEY);
    const subject = { userId: 7, generation: 2 };
    const token = rotated.token(subject);
    expect(rotated.readToken(link.token(subject))).toEqual({ ...subject, token });
    expect(rotated.readToken(token)).toEqual({ ...subject, token });
    expect(link.readToken(token)).toBeUndefined();
  });

  it('replaces each * of a prefix by a constant salt', () => {
    const starred = new SubscriptionLink(KEY, 'https://*.example');
    const [one, again, other] = [7, 7, 8].map((userId) => new URL(starred.urlOf({ userId, generation: 0 })).hostname);
    expect(one).toMatch(/^[0-9a-f]{16}\.example$/);
    expect([again, other === one]).toEqual([one, false]);
    expect(link.urlOf({ userId: 7, generation: 0 }, 'https://sub.example')).toMatch(/^https:\/\/sub\.example\/sub\//);
  });
});
