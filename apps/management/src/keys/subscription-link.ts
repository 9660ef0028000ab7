import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { MAX_INT32 } from '@rampart/domain';

const VERSION = 'v1';
/** The decoded payload of a token: version, user id and generation. */
const SUBJECT = /^v1\.([1-9]\d{0,9})\.(0|[1-9]\d{0,9})$/;

/** The user and the generation that a subscription token stands for. */
export interface SubscriptionSubject {
  userId: number;
  /** Revoking a subscription raises the generation, which makes earlier tokens invalid. */
  generation: number;
}

/** The subject of a token with the token that the current key makes for it. */
export interface ReadSubject extends SubscriptionSubject {
  readonly token: string;
}

/** Creates and verifies subscription URLs. A user keeps the same URL until it is revoked. */
export class SubscriptionLink {
  private readonly key: KeyObject;
  private readonly previous: KeyObject | undefined;

  /** @param previous a key whose links are still accepted */
  constructor(
    key: Buffer,
    private readonly prefix: string,
    previous?: Buffer,
  ) {
    // A `KeyObject` is prepared once; raw bytes would be prepared for every token.
    this.key = createSecretKey(key);
    this.previous = previous && createSecretKey(previous);
  }

  /**
   * @param prefix replaces the prefix of this installation; `*` in it becomes 16 hexadecimal digits that depend on the
   * subject alone
   */
  urlOf(subject: SubscriptionSubject | ReadSubject, prefix?: string | null): string {
    const token = 'token' in subject ? subject.token : this.token(subject);
    return `${(prefix || this.prefix).replaceAll('*', () => this.saltOf(subject))}/sub/${token}`;
  }

  token({ userId, generation }: SubscriptionSubject): string {
    const payload = Buffer.from(`${VERSION}.${userId}.${generation}`).toString('base64url');
    return `${payload}.${macOf(payload, this.key)}`;
  }

  /** The subject of a valid token; undefined for any other text. */
  readToken(token: string): ReadSubject | undefined {
    const [payload = '', mac = '', ...more] = token.split('.', 3);
    if (more.length > 0) return undefined;
    const isOwn = isEqual(mac, macOf(payload, this.key));
    if (!isOwn && !(this.previous && isEqual(mac, macOf(payload, this.previous)))) return undefined;
    const [, id = '', generation = ''] = SUBJECT.exec(Buffer.from(payload, 'base64url').toString('latin1')) ?? [];
    const subject = { userId: Number(id), generation: Number(generation) };
    if (!(subject.userId > 0 && subject.userId <= MAX_INT32)) return undefined;
    return { ...subject, token: isOwn ? token : this.token(subject) };
  }

  private saltOf({ userId, generation }: SubscriptionSubject): string {
    return createHmac('sha256', this.key).update(`salt.${userId}.${generation}`).digest('hex').slice(0, 16);
  }
}

const macOf = (payload: string, key: KeyObject): string =>
  createHmac('sha256', key).update(payload).digest('base64url');

/** Compares in constant time. Texts of different lengths are never equal. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
