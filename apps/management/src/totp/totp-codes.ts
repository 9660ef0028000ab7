import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** What every authenticator app supports: RFC 6238 with SHA-1, six digits and thirty seconds. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Number of steps before and after the present one that are accepted, for clocks that are wrong. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** 80 bits, so that a plain hash suffices. */
const RECOVERY_BYTES = 10;
const BASE32 = /.{4}/g;

/** A new secret in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The address that an authenticator app reads from a QR code. */
export const totpUrl = (secret: string, username: string): string => totpOf(secret, username).toString();

/** The time step to which a code belongs, whose spaces do not matter; undefined for a wrong one. @param now milliseconds since 1970 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const delta = totpOf(secret).validate({ token: withoutSpaces(code), timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / 1000 / PARAMETERS.period) + delta;
}

/** The code of a moment in milliseconds since 1970, as an app shows it. */
export const codeAt = (secret: string, now: number): string => totpOf(secret).generate({ timestamp: now });

/** New recovery codes, such as `abcd-efgh-ijkl-mnop`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ size: RECOVERY_BYTES }).base32.toLowerCase().match(BASE32)!.join('-'),
  );

/** The hash under which a recovery code is stored. Case, spaces and hyphens do not matter. */
export const hashOfRecoveryCode = (code: string): string =>
  createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest('base64url');

/** Whether a text has the form of a code of an app; anything else is read as a recovery code. */
export const isAppCode = (text: string): boolean => /^\d{6}$/.test(withoutSpaces(text));

const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '');

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({ issuer: 'Rampart', label, secret: Secret.fromBase32(secret), ...PARAMETERS });
