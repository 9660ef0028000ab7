import { describe, expect, it } from '@jest/globals';
import {
  codeAt,
  hashOfRecoveryCode,
  isAppCode,
  newRecoveryCodes,
  newTotpSecret,
  stepOfCode,
  totpUrl,
} from './totp-codes.js';

/** The secret of RFC 6238, appendix B, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of the second factor', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(codeAt(SECRET, seconds * 1000)).toBe(code);
    expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it('are accepted one step early and late, and no more', () => {
    const now = 1_000_000_000_000;
    const step = Math.floor(now / 30_000);
    const steps = [-2, -1, 0, 1, 2].map((offset) => stepOfCode(SECRET, codeAt(SECRET, now + offset * 30_000), now));
    expect(steps).toEqual([undefined, step - 1, step, step + 1, undefined]);
    for (const wrong of ['000000', '', 'abcdef', '1234567']) expect(stepOfCode(SECRET, wrong, now)).toBeUndefined();
  });

  it('may be typed with spaces', () => {
    expect(stepOfCode(SECRET, ' 287 082', 59_000)).toBe(1);
  });

  it('come from secrets of 160 bits, each another', () => {
    const [one, other] = [newTotpSecret(), newTotpSecret()];
    expect(one).toMatch(/^[A-Z2-7]{32}$/);
    expect(one).not.toBe(other);
    expect(totpUrl(SECRET, 'root')).toBe(
      `otpauth://totp/Rampart:root?issuer=Rampart&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});

describe('recovery codes', () => {
  it('are ten, each of 80 bits', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  });

  it('may be typed in capitals, with spaces and without hyphens', () => {
    const hash = hashOfRecoveryCode('abcd-efgh-ijkl-mnop');
    expect(hashOfRecoveryCode(' ABCD EFGH-ijklmnop')).toBe(hash);
    expect(hashOfRecoveryCode('abcd-efgh-ijkl-mnoq')).not.toBe(hash);
    expect([isAppCode('123 456'), isAppCode('abcd-efgh'), isAppCode('1234567')]).toEqual([true, false, false]);
  });
});
