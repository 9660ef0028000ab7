import { errors, jwtVerify, SignJWT } from 'jose';
import { keyId } from '../keys/keys.js';

const ALGORITHM = 'HS256';

/** The claims of a login token. Whether they still hold is checked against the admin's row. */
export interface TokenClaims {
  adminId: number;
  username: string;
  isSudo: boolean;
  version: number;
  /** The id of the token; undefined for one of a version that did not keep them. */
  id?: string | undefined;
  /** When the token was signed; undefined for one that does not say it. */
  issuedAt?: Date | undefined;
}

/** Signs and verifies login tokens of admins. */
export class AccessTokens {
  /** @param previous a key whose tokens are still accepted; no new token is signed with it */
  constructor(
    private readonly key: Buffer,
    private readonly lifetimeMinutes: number,
    private readonly previous?: Buffer,
  ) {}

  signToken({
    adminId,
    username,
    isSudo,
    version,
    id,
  }: Omit<TokenClaims, 'issuedAt'> & { id: string }): Promise<string> {
    return new SignJWT({ access: isSudo ? 'sudo' : 'admin', aid: adminId, ver: version })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: kidOf(this.key) })
      .setSubject(username)
      .setJti(id)
      .setIssuedAt()
      .setExpirationTime(`${this.lifetimeMinutes}m`)
      .sign(this.key);
  }

  /** The claims of a token that one of the keys signed and that has not expired; undefined for any other text. */
  async verifyToken(token: string): Promise<TokenClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => this.keyOf(kid), {
        algorithms: [ALGORITHM],
        requiredClaims: ['exp', 'sub'],
      });
      const { sub, access, aid, ver, jti, iat } = payload;
      if (sub === undefined || typeof aid !== 'number' || typeof ver !== 'number') return undefined;
      return {
        adminId: aid,
        username: sub,
        isSudo: access === 'sudo',
        version: ver,
        id: jti,
        issuedAt: iat === undefined ? undefined : new Date(iat * 1000),
      };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  private keyOf(kid: string | undefined): Buffer {
    const key = [this.key, this.previous].find((one) => one && kidOf(one) === kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  }
}

const kidOf = (key: Buffer): string => keyId(key).toString('hex');
