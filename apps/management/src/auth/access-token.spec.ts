import { describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { AccessTokens } from './access-token.js';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const CLAIMS = { adminId: 7, username: 'anna', isSudo: false, version: 3, id: 'an id' };
/** What a token says of its own moment, to the second. */
const READ = { ...CLAIMS, issuedAt: expect.any(Date) };

describe(AccessTokens.name, () => {
  it('verifies the tokens that it signed', async () => {
    const tokens = new AccessTokens(NEW, 60);
    for (const isSudo of [true, false]) {
      const claims = { ...CLAIMS, isSudo };
      expect(await tokens.verifyToken(await tokens.signToken(claims))).toEqual({ ...READ, isSudo });
    }
  });

  it('signs tokens with a key id and the configured lifetime', async () => {
    const token = await new AccessTokens(OLD, 90).signToken(CLAIMS);
    const { sub, access, jti, iat = 0, exp = 0 } = decodeJwt(token);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid: '72cd6e84' });
    expect({ sub, access, jti, lasts: exp - iat }).toEqual({
      sub: 'anna',
      access: 'admin',
      jti: 'an id',
      lasts: 5_400,
    });
  });

  it('accepts the previous key, and never signs with it', async () => {
    const [before, during, after] = [
      new AccessTokens(OLD, 60),
      new AccessTokens(NEW, 60, OLD),
      new AccessTokens(NEW, 60),
    ];
    const [old, renewed] = [await before.signToken(CLAIMS), await during.signToken(CLAIMS)];
    const read = (token: string) => Promise.all([before, during, after].map((tokens) => tokens.verifyToken(token)));
    expect(await read(old)).toEqual([READ, READ, undefined]);
    expect(await read(renewed)).toEqual([undefined, READ, READ]);
  });
});
