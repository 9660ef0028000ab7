import { errors, jwtVerify, SignJWT } from 'jose';

const ALGORITHM = 'HS256';
const LIFETIME = '24h';

/** What a token says; whether it still holds is decided against the admin's row. */
export interface TokenClaims {
  adminId: number;
  username: string;
  isSudo: boolean;
  version: number;
}

export function signAccessToken(key: Buffer, { adminId, username, isSudo, version }: TokenClaims): Promise<string> {
  return new SignJWT({ access: isSudo ? 'sudo' : 'admin', aid: adminId, ver: version })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setSubject(username)
    .setIssuedAt()
    .setExpirationTime(LIFETIME)
    .sign(key);
}

/** The claims of a token that this key signed and that has not expired; nothing for any other text. */
export async function readAccessToken(key: Buffer, token: string): Promise<TokenClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: [ALGORITHM], requiredClaims: ['exp', 'sub'] });
    const { sub, access, aid, ver } = payload;
    if (sub === undefined || typeof aid !== 'number' || typeof ver !== 'number') return undefined;
    return { adminId: aid, username: sub, isSudo: access === 'sudo', version: ver };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
